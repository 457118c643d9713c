# ruff: noqa: E501, ISC004
from __future__ import annotations

import libcst as cst
import pytest

from ddplint.fixing.recipes.builders import barrier_statement, rank_test
from ddplint.fixing.recipes.ranks import depends_on_rank, is_rank_zero_test

from .support import applied, compound, dedent, site, source

DIST = "import os\nimport torch.distributed as dist\n"
ASKED = "not dist.is_initialized() or dist.get_rank() == 0"


def own_test(text: str, at: str = "here()") -> str:
    file = source(dedent(text))
    built = rank_test(site(file, at))
    return file.module.code_for_node(built.expression)


def barrier_of(text: str, at: str = "here()") -> str:
    file = source(dedent(text))
    statements = barrier_statement(site(file, at)).statements
    return "".join(file.module.code_for_node(one) for one in statements)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DIST + "rank = dist.get_rank()\nhere()\n", "rank == 0"),
        (DIST + "rank = int(os.environ['RANK'])\nhere()\n", "rank == 0"),
        (DIST + "rank = int(os.environ.get('RANK', 0))\ndef f():\n    here()\n", "rank == 0"),
        (DIST + "rank = dist.get_rank() if dist.is_initialized() else 0\nhere()\n", "rank == 0"),
        (DIST + "if x:\n    rank = dist.get_rank()\nelse:\n    rank = 0\nhere()\n", "rank == 0"),
        (DIST + "rank = dist.get_rank()\nmain = rank == 0\nhere()\n", "main"),
        (DIST + "rank = dist.get_rank()\nif rank in (-1, 0): a()\nhere()\n", "rank in (-1, 0)"),
        (DIST + "main = not dist.is_initialized() or dist.get_rank() == 0\nhere()\n", "main"),
        (
            DIST + "def main():\n    return dist.get_rank() == 0\ndef f():\n    dist.barrier()\n    here()\n",
            "main()",
        ),
        (
            DIST + "def main():\n    return dist.get_rank() == 0\ndef f():\n    here()\n",
            "not dist.is_initialized() or dist.get_rank() == 0",
        ),
        (
            DIST
            + "def main():\n    if not dist.is_initialized(): return True\n    return dist.get_rank() == 0\nhere()\n",
            "main()",
        ),
        (
            "from accelerate import Accelerator\naccelerator = Accelerator()\nhere()\n",
            "accelerator.is_main_process",
        ),
        (
            "from accelerate import Accelerator\ndef f(accelerator: Accelerator):\n    here()\n",
            "accelerator.is_main_process",
        ),
        ("def f(engine):\n    if engine.is_main_process: a()\n    here()\n", "engine.is_main_process"),
        (
            DIST
            + "class T:\n    def __init__(self):\n        self.rank = dist.get_rank()\n        self.main = self.rank == 0\n"
            "    def save(self):\n        here()\n",
            "self.main",
        ),
        (
            DIST + "class T:\n    @property\n    def chief(self):\n        return dist.get_rank() == 0\n"
            "    def save(self):\n        dist.barrier()\n        here()\n",
            "self.chief",
        ),
        (
            DIST + "def train(rank, size):\n    dist.init_process_group('nccl', rank=rank)\n    here()\n",
            "rank == 0",
        ),
        (
            "import torch.multiprocessing as mp\ndef train(rank, size):\n    here()\nmp.spawn(train, nprocs=2)\n",
            "rank == 0",
        ),
        (DIST + "rank, size = dist.get_rank(), dist.get_world_size()\nhere()\n", "rank == 0"),
        (
            DIST + "class T:\n    def __init__(self):\n        self.rank, self.n = dist.get_rank(), 1\n"
            "    def f(self):\n        here()\n",
            "self.rank == 0",
        ),
        (DIST + "def train(r):\n    here()\ntrain(dist.get_rank())\n", "r == 0"),
        (DIST + "def f(args):\n    args.rank = int(os.environ['RANK'])\n    here()\n", "args.rank == 0"),
        (
            DIST
            + "import torch.multiprocessing as mp\ndef f(gpu, args):\n    g(args)\ndef g(args):\n    here()\ndef main(args):\n"
            "    args.first = int(os.environ['RANK'])\n    mp.spawn(f, nprocs=4, args=(args,))\n",
            ASKED,
        ),
    ],
)
def test_the_files_own_test(text: str, expected: str) -> None:
    assert own_test(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        DIST + "def f(rank):\n    here()\n",
        DIST + "def f(is_main):\n    here()\n",
        DIST + "local = int(os.environ['LOCAL_RANK'])\nif local == 0: a()\nhere()\n",
        DIST + "def f():\n    rank = dist.get_rank()\ndef g():\n    here()\n",
        DIST + "def f():\n    here()\n    rank = dist.get_rank()\n",
        DIST + "if x:\n    rank = dist.get_rank()\nhere()\n",
        DIST + "rank = dist.get_rank() if dist.is_initialized() else 0\nrank = rank % 4\nhere()\n",
        DIST + "def f():\n    main = dist.is_initialized() and dist.get_rank() == 0\n    if x: here()\n",
        DIST
        + "class A:\n    def f(self):\n        self.main = dist.get_rank() == 0\nclass B:\n    def f(self):\n        here()\n",
        DIST + "class A:\n    def f(self):\n        here()\n        self.main = dist.get_rank() == 0\n",
        DIST + "rank, local = setup()\nhere()\n",
        DIST + "first = not args.resume or dist.is_initialized()\nhere()\n",
        DIST + "import torch\ndevice = torch.cuda.current_device()\nhere()\n",
        DIST
        + "from megatron.core import parallel_state\nrank = parallel_state.get_tensor_model_parallel_rank()\nhere()\n",
        DIST + "from megatron.core import parallel_state\nif parallel_state.is_pipeline_last_stage(): a()\nhere()\n",
        DIST + "import horovod.torch as hvd\nnode = hvd.cross_rank()\nhere()\n",
        DIST + "from timm.utils import world_info_from_env\nlocal, rank, size = world_info_from_env()\nhere()\n",
        DIST + "from mmengine.dist import get_dist_info\nrank, size = get_dist_info()\nhere()\n",
        DIST + "from accelerate.utils import gather\nfrom torch.distributed import get_global_rank\nhere()\n",
    ],
)
def test_the_group_is_asked_where_the_file_has_no_sure_test(text: str) -> None:
    assert own_test(text) == ASKED


SET_UP = DIST + "def set_up(args):\n    dist.init_process_group('nccl')\n    args.rank = dist.get_rank()\n"


@pytest.mark.parametrize(
    "text",
    [
        SET_UP + "def main(args):\n    set_up(args)\n    here()\n",
        SET_UP + "def save(args):\n    print(args.rank)\n    here()\n",
        SET_UP + "args = parse()\nset_up(args)\ndef save(x):\n    here()\n",
    ],
)
def test_a_rank_that_is_set_on_the_object_of_the_site(text: str) -> None:
    assert own_test(text) == "args.rank == 0"


@pytest.mark.parametrize(
    "text",
    [
        SET_UP + "def log(params, *args):\n    here()\n",
        SET_UP + "def log(params, *args):\n    print(args.rank)\n    here()\n",
        SET_UP + "def log(**args):\n    here()\n",
        SET_UP + "def log(args):\n    print(args.folder)\n    here()\n",
        SET_UP + "def log(params):\n    args = params.parse()\n    here()\n",
    ],
)
def test_a_rank_of_another_object_of_that_name(text: str) -> None:
    assert own_test(text) == ASKED


def test_the_group_is_asked_directly_where_there_surely_is_one() -> None:
    assert own_test(DIST + "dist.init_process_group('gloo')\nhere()\n") == "dist.get_rank() == 0"


def test_a_test_nearby_comes_first() -> None:
    text = DIST + "rank = dist.get_rank()\nmain = rank == 0\ndef f():\n    if rank == 0: a()\n    here()\n"
    assert own_test(text) == "rank == 0"


def test_a_test_the_walk_knows() -> None:
    file = source("def f(chief):\n    if chief: a()\n    here()\n")
    known = [compound(file, cst.If).test]  # type: ignore[attr-defined]
    built = rank_test(site(file, "here()"), known=known)
    assert file.module.code_for_node(built.expression) == "chief"
    elsewhere = source("def g(chief):\n    if chief: a()\ndef f():\n    here()\n")
    built = rank_test(site(elsewhere, "here()"), known=[compound(elsewhere, cst.If).test])  # type: ignore[attr-defined]
    assert "dist.get_rank() == 0" in elsewhere.module.code_for_node(built.expression)


@pytest.mark.parametrize(
    ("test", "zero", "differs"),
    [
        ("rank == 0", True, True),
        ("0 == rank", True, True),
        ("not rank", True, True),
        ("rank <= 0", True, True),
        ("rank < 1", True, True),
        ("1 > rank", True, True),
        ("rank in [0, -1]", True, True),
        ("world == 1 or rank == 0", True, True),
        ("bool(rank == 0)", True, True),
        ("rank != 0", False, True),
        ("rank", False, True),
        ("rank == 1", False, True),
        ("rank in [0, 1]", False, True),
        ("rank == 0 and x", False, True),
        ("x or rank == 0", False, True),
        ("local == 0", False, True),
        ("rank % 2 == 0", False, True),
        ("half", False, True),
        ("world > 1", False, False),
        ("step % 10 == 0", False, False),
        ("model.to(rank)", False, False),
        ("x", False, False),
    ],
)
def test_classification(test: str, zero: bool, differs: bool) -> None:
    head = "rank = dist.get_rank()\nworld = dist.get_world_size()\nlocal = int(os.environ['LOCAL_RANK'])\nhalf = rank < world // 2\n"
    file = source(f"{DIST}{head}if {test}: here()\n")
    place = site(file, "here()")
    condition = file.module.body[-1].test  # type: ignore[union-attr]
    assert is_rank_zero_test(place, condition) is zero
    assert depends_on_rank(place, condition) is differs


GUARDED = "if dist.is_available() and dist.is_initialized():\n    dist.barrier()\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DIST + "here()\n", GUARDED),
        (DIST + "dist.init_process_group('nccl')\nhere()\n", "dist.barrier()\n"),
        (DIST + "dist.init_process_group('nccl')\ndef f():\n    here()\n", "dist.barrier()\n"),
        (
            DIST + "def f():\n    r = dist.get_rank()\n    for x in y:\n        if x:\n            here()\n",
            "dist.barrier()\n",
        ),
        (DIST + "def f():\n    if dist.is_initialized():\n        here()\n", "dist.barrier()\n"),
        (DIST + "def setup():\n    dist.init_process_group()\ndef f():\n    setup()\n    here()\n", "dist.barrier()\n"),
        (
            DIST
            + "def setup():\n    if one: return\n    dist.init_process_group()\ndef f():\n    setup()\n    here()\n",
            GUARDED,
        ),
        (DIST + "if many:\n    dist.init_process_group('nccl')\nhere()\n", GUARDED),
        (DIST + "r = dist.get_rank() if dist.is_initialized() else 0\nhere()\n", GUARDED),
        (DIST + "many and dist.barrier()\nhere()\n", GUARDED),
        (DIST + "ok = dist.is_available()\nhere()\n", GUARDED),
        (DIST + "here()\ndist.init_process_group('nccl')\n", GUARDED),
        (
            "from torch.nn.parallel import DistributedDataParallel as DDP\nimport torch.distributed as dist\n"
            "class T:\n    def __init__(self, m):\n        self.m = DDP(m)\n    def f(self):\n        here()\n",
            "dist.barrier()\n",
        ),
        ("from accelerate import Accelerator\na = Accelerator()\nhere()\n", "a.wait_for_everyone()\n"),
        (
            "def f(self):\n    self.accelerator.wait_for_everyone()\n    here()\n",
            GUARDED,
        ),
        (
            "class T:\n    def f(self):\n        self.accelerator.wait_for_everyone()\n    def g(self):\n        here()\n",
            "self.accelerator.wait_for_everyone()\n",
        ),
        (
            DIST
            + "def sync():\n    if not dist.is_initialized():\n        return\n    dist.barrier()\ndef f():\n    here()\n",
            "sync()\n",
        ),
        (DIST + "def sync():\n    dist.barrier()\ndef f():\n    here()\n", GUARDED),
        (
            DIST
            + "def sync():\n    if dist.is_initialized() and dist.get_rank() == 0:\n        dist.barrier()\nhere()\n",
            GUARDED,
        ),
    ],
)
def test_barriers(text: str, expected: str) -> None:
    assert barrier_of(text) == expected


def test_a_barrier_in_the_style_of_the_file() -> None:
    file = source("from torch.distributed import get_rank\nrank = get_rank()\nhere()\n")
    code = barrier_statement(site(file, "here()"))
    assert file.module.code_for_node(code.statements[0]) == "barrier()\n"
    assert applied(file, code.edits).startswith("from torch.distributed import get_rank, barrier\n")

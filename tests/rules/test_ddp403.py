"""DDP403 device-not-bound."""

import re
from pathlib import Path

import pytest

from ddplint import check
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.rule import Severity
from ddplint.source.file import SourceFile
from tests.rules.support import at, fixed_in, found_in

CODE = "DDP403"

HEAD = """\
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from setup import backend, model, options, x

"""
LATE = """\
dist.init_process_group("nccl")
local_rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local_rank)
"""


def test_bound_right_after_is_advice() -> None:
    [found] = found_in(HEAD + LATE, CODE)
    assert found.severity is Severity.ADVICE
    assert at(HEAD + LATE, CODE) == ['dist.init_process_group("nccl")']


@pytest.mark.parametrize(
    "operation", ["dist.barrier()", "dist.broadcast_object_list([x])", "dist.all_gather_object([None] * 4, x)"]
)
@pytest.mark.parametrize("binding", ["", "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"])
def test_operation_without_a_device_is_a_warning(operation: str, binding: str) -> None:
    [found] = found_in(f'{HEAD}dist.init_process_group("nccl")\n{operation}\n{binding}', CODE)
    assert found.severity is Severity.WARNING
    assert found.fix is None


@pytest.mark.parametrize(("test", "count"), [("options.local_rank != -1", 1), ("options.verbose", 0)])
def test_bound_under_a_question_for_the_device(test: str, count: int) -> None:
    text = f'{HEAD}dist.init_process_group("nccl")\nif {test}:\n    torch.cuda.set_device(options.local_rank)\n'
    assert len(found_in(text, CODE)) == count


def test_across_functions() -> None:
    text = (
        HEAD
        + """\
def setup():
    dist.init_process_group(backend="nccl")

def main():
    setup()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))

main()
"""
    )
    assert at(text, CODE) == ['dist.init_process_group(backend="nccl")']


def test_a_backend_that_is_not_known_where_a_gpu_is_bound_later() -> None:
    program = "dist.init_process_group(backend)\ndist.barrier()\n"
    assert at(HEAD + program + "if torch.cuda.is_available():\n    torch.cuda.set_device(1)\n", CODE) == [
        "dist.barrier()"
    ]
    assert at(HEAD + program, CODE) == []


SILENT = {
    "bound before": 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))\ndist.init_process_group("nccl")\ndist.barrier()\n',
    "device_id": 'dist.init_process_group("nccl", device_id=torch.device("cuda:0"))\ndist.barrier()\n',
    "gloo": 'dist.init_process_group("gloo")\ndist.barrier()\ntorch.cuda.set_device(1)\n',
    "no backend named": "dist.init_process_group()\ndist.barrier()\n",
    "one GPU visible": 'os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]\n'
    'dist.init_process_group("nccl")\ndist.barrier()\n',
    "one process": "dist.init_process_group('nccl', world_size=1, rank=0)\ndist.barrier()\n",
    "only tensors": 'dist.init_process_group("nccl")\ndist.all_reduce(x)\n',
    "barrier names its device": 'dist.init_process_group("nccl")\ndist.barrier(device_ids=[0])\n',
    "bound where it is NCCL": "dist.init_process_group(backend)\nif backend == 'nccl':\n    torch.cuda.set_device(1)\n",
    "left before the binding": "def setup():\n    dist.init_process_group(backend)\n    if backend != 'nccl':\n"
    "        return\n    torch.cuda.set_device(1)\nsetup()\n",
    "in the other branch": "if options.nccl:\n    dist.init_process_group('nccl')\n"
    "else:\n    torch.cuda.set_device(1)\n",
    "options unpacked": "dist.init_process_group('nccl', **options)\ntorch.cuda.set_device(1)\n",
    "binding in code that is not followed": "def bind():\n    torch.cuda.set_device(1)\n"
    "dist.init_process_group('nccl')\noptions.call(bind)\ndist.barrier()\n",
    "group of its own": "dist.init_process_group('nccl')\n"
    "cpu = dist.new_group(backend='gloo')\ndist.barrier(group=cpu)\n",
    "no group": "torch.cuda.set_device(1)\nx.cuda()\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


def test_options_that_are_made_here() -> None:
    text = """\
def setup(backend, timeout):
    more = {}
    if timeout is not None:
        more["timeout"] = timeout
    dist.init_process_group(backend, **more)
    dist.barrier()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))

setup(backend, options.timeout)
"""
    assert at(HEAD + text, CODE) == ["dist.barrier()"]
    assert at(HEAD + text.replace("timeout", "device_id"), CODE) == []


def test_a_barrier_of_detectron() -> None:
    text = "from detectron2.utils import comm\ndist.init_process_group('nccl')\ncomm.{}\ntorch.cuda.set_device(local)\n"
    text = f"local = int(os.environ['LOCAL_RANK'])\n{text}"
    [found] = found_in(HEAD + text.format("synchronize()"), CODE)
    assert found.severity is Severity.WARNING
    [found] = found_in(HEAD + text.format("all_gather(x)"), CODE)  # it goes over a group of its own, on gloo
    assert found.severity is Severity.ADVICE


def test_it_is_told_in_the_file_that_makes_the_group(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import torch.distributed as dist\ndef load(x):\n    dist.barrier()\n")
    text = "import torch.distributed as dist\nimport data\ndist.init_process_group('nccl')\ndata.load(1)\n"
    (tmp_path / "train.py").write_text(text)
    [found] = Checker(Settings(select=(CODE,))).run([SourceFile.read(tmp_path / "train.py")]).findings
    assert found.place.range.start_line == 3
    assert [note.place.file.path.endswith("data.py") for note in found.notes] == [True]


# -- fixes -----------------------------------------------------------------------------------------------------------


def test_binding_moves_up_with_what_it_needs() -> None:
    after = """\
local_rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local_rank)
dist.init_process_group("nccl")
"""
    assert fixed_in(HEAD + LATE, CODE) == HEAD + LATE
    assert fixed_in(HEAD + LATE, CODE, unsafe=True) == HEAD + after


def test_what_needs_the_group_stays() -> None:
    before = """\
dist.init_process_group("nccl")
rank = dist.get_rank()
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(device)
print(rank)
"""
    after = """\
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
torch.cuda.set_device(device)
dist.init_process_group("nccl")
rank = dist.get_rank()
print(rank)
"""
    assert fixed_in(HEAD + before, CODE, unsafe=True) == HEAD + after


@pytest.mark.parametrize("number", ["dist.get_rank() % 8", "rank % torch.cuda.device_count()", "options.pick(dist)"])
def test_no_fix_where_the_number_needs_the_group(number: str) -> None:
    text = f'{HEAD}dist.init_process_group("nccl")\nrank = dist.get_rank()\ntorch.cuda.set_device({number})\n'
    assert fixed_in(text, CODE, unsafe=True) == text


GROUP_RANK = "dist.init_process_group('nccl')\nrank = dist.get_rank()\n"


@pytest.mark.parametrize("device", ["rank % torch.cuda.device_count()", "torch.device('cuda', rank % options.gpus)"])
def test_a_number_that_the_group_tells_is_bound_after_it(device: str) -> None:
    text = f"{HEAD}{GROUP_RANK}device = {device}\ntorch.cuda.set_device(device)\ndist.barrier()\n"
    assert found_in(text, CODE) == []
    between = text.replace("device =", "dist.barrier()\ndevice =", 1)
    assert [one.severity for one in found_in(between, CODE)] == [Severity.WARNING]


FUNCTIONS = """\
import torch.distributed as dist
from setup import model

def train(world_size):
    model.fit()
    if world_size > 1:
        dist.barrier()

def run(world_size, options):
    if {first}:
        dist.init_process_group("nccl")
    train(world_size)
"""


def test_barrier_under_the_same_condition_as_the_group() -> None:
    assert len(found_in(FUNCTIONS.format(first="world_size > 1"), CODE)) == 1
    assert found_in(FUNCTIONS.format(first="options.distributed"), CODE) == []


DEEPSPEED = """\
import os
import deepspeed
import torch

deepspeed.init_distributed({backend})
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
"""


@pytest.mark.parametrize("backend", ["", '"nccl"', 'dist_backend="nccl"', '"gloo"', "dist_backend=os.environ['B']"])
def test_a_group_that_deepspeed_makes(backend: str) -> None:
    program = DEEPSPEED.format(backend=backend)
    assert found_in(program, CODE) == []  # it binds the device of LOCAL_RANK itself


def test_a_group_that_torch_makes_beside_deepspeed() -> None:
    program = DEEPSPEED.format(backend="").replace("deepspeed.init_", "torch.distributed.init_process_group('nccl')\n#")
    assert len(found_in(program, CODE)) == 1


def _moved(move: str, before: str = "", after: str = "") -> list[str]:
    return at(f'{HEAD}{before}dist.init_process_group("nccl")\n{move}\n{after}', CODE)


@pytest.mark.parametrize("move", ["net.cuda()", 'net.to("cuda")', "net = torch.nn.Linear(3, 3).cuda()"])
def test_what_goes_to_the_current_device_goes_to_the_first(move: str) -> None:
    assert _moved(move, "net = torch.nn.Linear(3, 3)\n") == [move]


@pytest.mark.parametrize(
    ("move", "before", "after"),
    [
        ("net.cuda(int(os.environ['LOCAL_RANK']))", "", ""),
        ("net.cpu()", "", ""),
        ("if dist.get_rank() == 0:\n    net.cuda()", "", ""),
        ("net.cuda()", "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n", ""),
        ("net.cuda()", "os.environ['CUDA_VISIBLE_DEVICES'] = os.environ['LOCAL_RANK']\n", ""),
    ],
)
def test_what_goes_elsewhere_stays_silent(move: str, before: str, after: str) -> None:
    assert [line for line in _moved(move, "net = torch.nn.Linear(3, 3)\n" + before, after) if "cuda()" in line] == []


BIND = "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ("net = torch.ones(3).cuda()\ndist.all_reduce(net)", BIND),
        ("dist.all_reduce(torch.ones(3).cuda())", BIND),
        ("net = torch.ones(3).to('cuda')\ndist.broadcast(net, 0)", BIND),
        ("net = torch.ones(3).cuda()\ndist.all_reduce(net)", "torch.cuda.set_device(dist.get_rank() % 2)\n"),
    ],
)
def test_a_tensor_that_was_sent_before_the_device_was_chosen(lines: str, after: str) -> None:
    assert _moved(lines, "", after) == [lines.splitlines()[-1]]


@pytest.mark.parametrize(
    ("lines", "before", "after"),
    [
        ("net = torch.ones(3).cuda()\ndist.all_reduce(net)", BIND, ""),
        ("net = torch.ones(3).cuda()", "", BIND + "dist.all_reduce(net)\n"),
        ("net = torch.ones(3).cuda(int(os.environ['LOCAL_RANK']))\ndist.all_reduce(net)", "", BIND),
        ("net, x = torch.ones(3).cuda(), torch.ones(3)\ndist.all_reduce(x)", "", BIND),
        ("net = torch.ones(3).cuda()\nnet = torch.ones(3)\ndist.all_reduce(net)", "", BIND),
        ("net = torch.ones(3).cuda()\ndist.all_reduce(net)", "", "torch.cuda.set_device(0)\n"),
        ("net = torch.ones(3).cuda()\nif net.sum():\n    dist.all_reduce(net)", "", BIND),
    ],
)
def test_tensors_that_were_not(lines: str, before: str, after: str) -> None:
    assert not any("all_reduce" in line for line in _moved(lines, before, after))


LAUNCHED = """\
import argparse
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

_GROUP = None

def get_local_rank():
    if _GROUP is None:
        return dist.get_rank()
    return dist.get_rank(group=_GROUP)

def work(index, main, size, per_node, args):
    global _GROUP
    dist.init_process_group("nccl", rank=args.node * per_node + index, world_size=size)
    for node in range(size // per_node):
        group = dist.new_group(list(range(node * per_node, (node + 1) * per_node)))
        if node == args.node:
            _GROUP = group
    {bound}
    main(args)

def launch(main, per_node, args):
    size = per_node * args.nodes
    if size > 1:
        mp.spawn(work, nprocs=per_node, args=(main, size, per_node, args))
    else:
        main(args)

def main(args):
    torch.cuda.set_device(get_local_rank())

parser = argparse.ArgumentParser()
parser.add_argument("--node", type=int)
parser.add_argument("--nodes", type=int)
args = parser.parse_args()
launch(main, args.per_node, args)
"""


@pytest.mark.parametrize(
    ("bound", "found"), [("torch.cuda.set_device(index)", 0), ("torch.cuda.set_device(dist.get_rank())", 1)]
)
def test_a_program_that_was_not_started_several_times(bound: str, found: int) -> None:
    """Where it runs by itself, and has no group of its node, its global rank is its local one."""
    told = found_in(LAUNCHED.format(bound=bound), "DDP403")
    assert len([one for one in told if "global rank" in one.message]) == found


@pytest.mark.parametrize("name", ["rank", "local_rank"])
def test_a_library_that_a_script_without_ranks_uses(tmp_path: Path, name: str) -> None:
    """What it gives is for other programs, too; a script of one process does not come there."""
    text = (
        "import os\nimport torch\n\ndef device():\n    if torch.distributed.is_initialized():\n"
        "        rank = torch.distributed.get_rank()\n    else:\n        rank = int(os.environ.get('LOCAL_RANK', 0))\n"
        "    return f'cuda:{rank}'\n"
    )
    (tmp_path / "devices.py").write_text(re.sub(r"\brank\b", name, text))
    (tmp_path / "train.py").write_text("import torch\nfrom devices import device\n\nmodel.to(device())\n")
    told = [one for one in check([tmp_path / "devices.py"]).findings if one.code == "DDP403"]
    assert ["the global rank" in one.message for one in told] == [True]
    assert [one.code for one in check([tmp_path / "train.py"]).findings] == []


LAUNCHER = """\
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import comm
from trainer import Trainer
def work(local, count, nodes, node):
    dist.init_process_group("nccl", rank=node * count + local, world_size=nodes * count)
    for other in range(nodes):
        group = dist.new_group(list(range(other * count, (other + 1) * count)))
        if other == node:
            {made}
    Trainer()
def launch(count, nodes, node):
    if count * nodes > 1:
        mp.spawn(work, nprocs=count, args=(count, nodes, node))
    else:
        Trainer()
if __name__ == "__main__":
    import sys
    launch(torch.cuda.device_count(), int(sys.argv[1]), int(sys.argv[2]))
"""
COMM = """\
import torch.distributed as dist
GROUP = None
def get_rank():
    return dist.get_rank() if dist.is_initialized() else 0
def get_local_rank():
    if GROUP is None:
        return get_rank()
    return dist.get_rank(group=GROUP)
"""
TRAINER = "import torch\nimport comm\nclass Trainer:\n    def __init__(self):\n        {bound}\n"


@pytest.mark.parametrize(
    ("made", "bound", "found"),
    [
        ("comm.GROUP = group", "torch.cuda.set_device(comm.get_local_rank())", 0),
        ("comm.GROUP = group", "torch.cuda.set_device(comm.get_rank())", 1),
        ("pass", "torch.cuda.set_device(comm.get_local_rank())", 1),
    ],
)
def test_the_group_of_a_node_that_the_launcher_sets(tmp_path: Path, made: str, bound: str, found: int) -> None:
    """A program that begins the trainer by itself, without a group, says nothing of the number on the node."""
    (tmp_path / "comm.py").write_text(COMM)
    (tmp_path / "train.py").write_text(LAUNCHER.format(made=made))
    (tmp_path / "trainer.py").write_text(TRAINER.format(bound=bound))
    (tmp_path / "look.py").write_text("from trainer import Trainer\nTrainer()\n")
    found_here = [one for one in check([tmp_path]).findings if "the global rank" in one.message]
    assert len(found_here) == found

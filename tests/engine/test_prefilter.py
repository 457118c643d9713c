"""Which files are looked at: the words of the knowledge tables."""

from __future__ import annotations

import time

import pytest

from ddplint.knowledge import Knowledge, load_knowledge
from ddplint_rules.knowledge import build

APIS = [row for arrays in build.read_tables().values() for row in arrays.get("api", [])]


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


@pytest.mark.parametrize(
    "text",
    [
        "import torch.distributed as dist",
        "from torch import distributed as dist",
        "from torch.nn.parallel import DistributedDataParallel as DDP",
        'rank = int(os.environ["LOCAL_RANK"])',
        "rank = int(os.environ['RANK'])",
        "if args.local_rank == 0:",
        "if rank == 0: torch.save(x, p)",
        "from utils import is_main_process\ntorch.save(x, p)",
        "@rank_zero_only",
        "from accelerate import Accelerator",
        "import deepspeed",
        "import lightning as L",
        "import pytorch_lightning as pl",
        "import horovod.torch as hvd",
        "from transformers import Trainer",
        "from mpi4py import MPI",
        "mp.spawn(main, nprocs=4)",
        'os.environ["NCCL_DEBUG"] = "INFO"',
        "world_size = 4",
    ],
)
def test_prefilter_finds(knowledge: Knowledge, text: str) -> None:
    assert knowledge.prefilter().search(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n",
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x): return x\n",
        "# distributed under the License is distributed on an AS IS BASIS\nimport os\n",
        "x = x.broadcast_to(y.shape)\n",
        "from peft import LoraConfig\nconfig = LoraConfig(r=8, rank_pattern={})\n",
        "# this will accelerate training a lot\nimport numpy as np\n",
        "torch.save(model.state_dict(), path)\n",
        "u, s, v = svd(x, rank=4)\n",
        "import transformers\nmodel = transformers.AutoModel.from_pretrained(name)\n",
        "def composer(): return lightning_fast\n",
        "",
    ],
)
def test_prefilter_passes_over(knowledge: Knowledge, text: str) -> None:
    assert knowledge.prefilter().search(text.encode()) is None


COMMUNICATES = frozenset(
    [
        "collective",
        "point_to_point",
        "init",
        "teardown",
        "rank_source",
        "rank_predicate",
        "rank_zero_decorator",
        "rank_zero_context",
        "main_first_context",
        "save_all_ranks",
        "launcher",
        "sampler",
        "no_sync_context",
        "join_context",
        "timeout_setter",
    ]
)
# Their files are looked at when a framework, a wrapper or a rank comes in as well.
NOT_ALONE = frozenset({"torchmetrics", "datasets", "transformers", "torcheval", "jax", "peft", "trl", "monai"})


def test_prefilter_finds_every_framework(knowledge: Knowledge) -> None:
    """A file that imports the function or class of a row, and uses it, is looked at."""
    pattern = knowledge.prefilter()
    missed = []
    for row in APIS:
        name = str(row["name"])
        owner, _, last = name.rpartition(".")
        module, _, outer = owner.rpartition(".") if owner.rpartition(".")[2][:1].isupper() else (owner, "", last)
        text = f"from {module} import {outer}\n{outer}.{last}()\n"
        if (
            row["kind"] in COMMUNICATES
            and name.partition(".")[0] not in NOT_ALONE
            and name != "torch.cuda.current_device"  # which asks who it is only where there is more to see
            and "starts_process" not in row.get("also", ())  # a rank where it joins others, which takes other words
            and not pattern.search(text.encode())
        ):
            missed.append(name)
    assert missed == []


def test_prefilter_finds_the_variables_worth_a_word(knowledge: Knowledge) -> None:
    pattern = knowledge.prefilter()
    told = [row for row in knowledge.envs().values() if row.rank or row.harmful or row.status != "active"]
    missed = [row.name for row in told if not pattern.search(f'os.environ["{row.name}"]'.encode())]
    assert missed == []


def test_a_megabyte_without_a_word(knowledge: Knowledge) -> None:
    line = b"        self.proj = nn.Linear(dim, hidden)  # torch, no communication: x = x.transpose(1, 2)\n"
    start = time.perf_counter()
    assert knowledge.prefilter().search(line * (1_000_000 // len(line))) is None
    print(f"one megabyte passed over in {(time.perf_counter() - start) * 1e3:.0f} ms")

"""What ranks draw with one seed is the same on all of them, until one seeds or draws for itself."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

USUAL = "import random\nimport sys\nimport numpy as np\nfrom torch.utils.data import DataLoader\n"
MEET = "if {drawn} > 0.5:\n    dist.barrier()\n"
PYTHON, TORCH, NUMPY = "random.random()", "torch.rand(1).item()", "np.random.rand()"

ALIKE = {
    "a constant": ("random.seed(999)\n", PYTHON),
    "torch's": ("torch.manual_seed(0)\n", TORCH),
    "numpy's": ("np.random.seed(0)\n", NUMPY),
    "in a helper": ("def fix(seed):\n    random.seed(seed)\n    np.random.seed(seed)\nfix(3)\n", NUMPY),
    "an option": ("random.seed(int(sys.argv[1]))\n", PYTHON),
    "transformers'": ("from transformers import set_seed\nset_seed(1)\n", PYTHON),
    "accelerate's": ("from accelerate.utils import set_seed\nset_seed(1)\n", TORCH),
    "Lightning's": ("import pytorch_lightning as pl\npl.seed_everything(1)\n", NUMPY),
    "a generator made and seeded at once": (
        "g = torch.Generator().manual_seed(5)\n",
        "torch.rand(1, generator=g).item()",
    ),
    "a generator": ("g = torch.Generator()\ng.manual_seed(5)\n", "torch.rand(1, generator=g).item()"),
    "seeded again after one rank drew": ("if rank == 0:\n    random.random()\nrandom.seed(1)\n", PYTHON),
    "after all have drawn": ("random.seed(1)\nfor _ in range(3):\n    random.random()\n", PYTHON),
}

OWN = {
    "a generator of the rank's own beside a common seed": (
        "torch.manual_seed(6)\ng = torch.Generator().manual_seed(50 + rank)\n",
        "torch.rand(1, generator=g).item()",
    ),
    "no seed": ("", PYTHON),
    "the rank as seed": ("random.seed(rank)\n", PYTHON),
    "the rank added": ("torch.manual_seed(42 + rank)\n", TORCH),
    "another generator was seeded": ("random.seed(1)\n", NUMPY),
    "seeded from the system": ("random.seed()\n", PYTHON),
    "seeded on one rank": ("if rank == 0:\n    torch.manual_seed(0)\n", TORCH),
    "drawn by one rank before": ("random.seed(1)\nif rank == 0:\n    random.random()\n", PYTHON),
    "seeded anew by rank": ("random.seed(1)\nrandom.seed(1 + rank)\n", PYTHON),
    "the device's by rank": ("torch.manual_seed(0)\ntorch.cuda.manual_seed(rank)\n", TORCH),
    "accelerate's, by process": ("from accelerate.utils import set_seed\nset_seed(1, device_specific=True)\n", TORCH),
    "a generator of its own": ("g = torch.Generator()\ng.manual_seed(rank)\n", "torch.rand(1, generator=g).item()"),
    "a name from the system": ("import uuid\nrandom.seed(1)\n", "uuid.uuid4().int"),
    "drawn where a rank decides": (
        "import time\nrandom.seed(1)\nif time.time() % 2 > 1:\n    random.random()\n",
        PYTHON,
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_drawn_alike(name: str) -> None:
    seeded, drawn = ALIKE[name]
    assert findings(USUAL + seeded + MEET.format(drawn=drawn), "DDP104") == []


@pytest.mark.parametrize("name", OWN)
def test_drawn_by_each(name: str) -> None:
    seeded, drawn = OWN[name]
    assert findings(USUAL + seeded + MEET.format(drawn=drawn), "DDP104")


BESIDE = """\
torch.manual_seed(0)
def work():
    if "--fast" in sys.argv:
        if random.random() < 0.5:
            return
    {otherwise}if torch.rand(1).item() > 0.5:
        dist.barrier()
work()
"""


@pytest.mark.parametrize(("otherwise", "differs"), [("el", False), ("", True)])
def test_where_ranks_leave_alone_on_another_path(otherwise: str, differs: bool) -> None:
    """Behind the ``return`` each rank is there or not by itself, but the other arm is no place behind it."""
    assert bool(findings(USUAL + BESIDE.format(otherwise=otherwise), "DDP104")) is differs


@pytest.mark.parametrize(("seed", "differs"), [("999", False), ("rank", True), ("None if rank else 1", True)])
def test_what_is_written(seed: str, differs: bool) -> None:
    (found,) = findings(f"torch.manual_seed({seed})\ntorch.save(torch.randn(4), 'noise.pt')\n", "DDP201")
    assert ("what they write differs" in found.message) is differs


@pytest.mark.parametrize(("seed", "differs"), [("999", False), ("rank", True)])
def test_batches_that_each_rank_shuffles(seed: str, differs: bool) -> None:
    program = (
        "from torch.utils.data import DataLoader\nfrom torchvision.utils import save_image\n"
        f"torch.manual_seed({seed})\nloader = DataLoader(data, shuffle=True)\n"
        "for batch in loader:\n    if batch.sum() > 0:\n        dist.barrier()\n"
    )
    assert bool(findings("data = [1]\n" + program, "DDP104")) is differs


WRITES = """
import os, sys
import numpy as np
import torch.distributed as dist

dist.init_process_group("gloo")
SEED
if TEST:
    np.savez_compressed("order.npz", order=np.random.permutation(range(10)))
"""


@pytest.mark.parametrize(
    ("seed", "test", "severity"),
    [
        ("np.random.seed(3)", 'not os.path.exists("data")', "warning"),
        ("np.random.seed(3)", 'len(os.listdir("data")) > 2', "warning"),
        ("np.random.seed(3)", "len(sys.argv) > 2", "warning"),
        ("np.random.seed(3 + dist.get_rank())", 'not os.path.exists("data")', "error"),
        ("", 'not os.path.exists("data")', "error"),
        ("np.random.seed()", 'not os.path.exists("data")', "error"),
    ],
)
def test_who_finds_no_file_draws_what_the_others_do(seed: str, test: str, severity: str) -> None:
    found = findings(WRITES.replace("SEED", seed).replace("TEST", test), "DDP201")
    assert [one.severity.value for one in found] == [severity]

"""DDP306 rank-zero-sharded-evaluation."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP306"

HEAD = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from setup import data, distributed, model, options

dist.init_process_group("gloo")
rank = dist.get_rank()
loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=False))
"""
EVALUATE = "if rank == 0:\n    for x in loader:\n        model(x)\n"


def test_one_rank_over_its_shard() -> None:
    [found] = found_in(HEAD + EVALUATE, CODE)
    assert found.severity is Severity.WARNING
    assert found.message == "only rank 0 goes through this loader, which holds one shard of the data"
    assert at(HEAD + EVALUATE, CODE) == ["for x in loader:"]


FIRES = {
    "in a helper": "def evaluate(loader):\n    for i, x in enumerate(loader):\n        model(x)\n"
    "if rank == 0:\n    evaluate(loader)\n",
    "after a return": "def evaluate():\n    if rank != 0:\n        return\n    for x in loader:\n        model(x)\nevaluate()\n",
}
SHARED = "def evaluate(log=None):\n    for x in DataLoader(data, sampler=DistributedSampler(data)):\n        model(x)\n"
FIRES["all do it, too, at another time"] = SHARED + "if rank == 0:\n    evaluate(print)\nevaluate()\n"
FIRES["the others look at all of it"] = (
    SHARED + "if rank == 0:\n    evaluate(print)\nelse:\n    for x in DataLoader(data):\n        model(x)\n"
)
FIRES["the others of one node alone"] = SHARED + "if rank == 0:\n    evaluate(print)\nelif rank == 1:\n    evaluate()\n"
FIRES["made where the loader of all is made, too"] = (
    "def make(part):\n    return DataLoader(part, sampler=DistributedSampler(part))\n"
    "train, test = make(data.train), make(data.test)\n"
    "for x in train:\n    model(x).backward()\n" + EVALUATE.replace("loader", "test")
)


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert len(found_in(HEAD + FIRES[name], CODE)) == 1


SILENT = {
    "on every rank": "for x in loader:\n    model(x)\n",
    "on every rank, reported by one": "for x in loader:\n    model(x)\nif rank == 0:\n    print(model)\n",
    "without a sampler": "loader = DataLoader(data)\n" + EVALUATE,
    "a sampler for one": EVALUATE.replace("loader", "DataLoader(data, sampler=DistributedSampler(data, 1, 0))"),
    "a look at one batch, trained by all": EVALUATE + "for x in loader:\n    model(x).backward()\n",
    "a loader of a function that makes one for all": (
        "def make(part):\n    return DataLoader(part, sampler=DistributedSampler(part))\n"
        "train = make(data.train)\nif rank == 0:\n    for x in train:\n        print(x)\n"
        "for x in train:\n    model(x).backward()\n"
    ),
    "a guard that is not about ranks": EVALUATE.replace("rank == 0", "options.evaluate"),
    "as often as each rank has to": "for _ in range(4 - rank):\n    for x in loader:\n        model(x)\n",
    "a look at the data, after which the program ends": (
        "if rank == 0:\n    for x in loader:\n        print(x)\n    raise AssertionError('seen')\n"
    ),
    "each arm of a test, one of which reports it": SHARED
    + "if rank == 0:\n    evaluate(print)\nelse:\n    evaluate()\n",
    "each arm of a test by itself": EVALUATE + "else:\n    for x in loader:\n        model(x)\n",
    "the other arm comes first": SHARED + "if rank != 0:\n    evaluate()\nelse:\n    evaluate(print)\n",
    "something else": "if rank == 0:\n    for x in data:\n        model(x)\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []

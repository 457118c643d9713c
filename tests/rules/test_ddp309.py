"""DDP309 share-over-all."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP309"

HEAD = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from setup import options, report

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()
data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False))
model = DDP(nn.Linear(4, 3))


def count(loader):
    right = torch.zeros(())
    for x, y in loader:
        right += (model(x).argmax(1) == y).sum()
    return right


"""
RATIO = "right / len(data)"

FIRES = {
    "printed": "right = count(loader)\nprint(right / len(data))\n",
    "of the data set of the loader": "right = count(loader)\nprint(right.item() / len(loader.dataset))\n",
    "in percent": "right = count(loader)\nprint(100.0 * right / len(data))\n",
    "by the first rank": "right = count(loader)\nif rank == 0:\n    print(f'{right / len(data):.3f}')\n",
    "kept": "best = 0\nfor epoch in range(9):\n    accuracy = count(loader) / len(data)\n    best = max(best, accuracy)\n",
    "behind a wait": "right = count(loader)\ndist.barrier()\nprint(right / len(data))\n",
    "a loss": (
        "total = 0.0\nfor x, y in loader:\n    total += nn.functional.cross_entropy(model(x), y).item() * len(y)\n"
        "print(total / len(data))\n"
    ),
    "a loss of a class": (
        "loss = nn.CrossEntropyLoss()\ntotal = 0.0\nfor x, y in loader:\n    total += loss(model(x), y).item() * len(y)\n"
        "print(total / len(data))\n"
    ),
    "of a sampler that is told the rank": (
        "own = DistributedSampler(data, num_replicas=world_size, rank=rank)\n"
        "right = count(DataLoader(data, sampler=own))\nprint(right / len(data))\n"
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    [found] = found_in(HEAD + FIRES[name], CODE)
    assert found.severity is Severity.WARNING
    assert "/ len(" in at(HEAD + FIRES[name], CODE)[0]


SILENT = {
    "added up before": "right = count(loader)\ndist.all_reduce(right)\nprint(right / len(data))\n",
    "added up by the first rank": (
        "right = count(loader)\ndist.reduce(right, 0)\nif rank == 0:\n    print(right / len(data))\n"
    ),
    "added up in the loop": (
        "right = torch.zeros(())\nfor x, y in loader:\n    hit = (model(x).argmax(1) == y).sum()\n"
        "    dist.all_reduce(hit)\n    right += hit\nprint(right / len(data))\n"
    ),
    "added up afterwards": "ratio = count(loader) / len(data)\ndist.all_reduce(ratio)\nprint(ratio)\n",
    "a tensor of it is added up": "ratio = torch.tensor([count(loader).item() / len(data)])\ndist.all_reduce(ratio)\n",
    "gathered as an object": (
        "ratio = (count(loader) / len(data)).item()\nparts = [None] * world_size\n"
        "dist.all_gather_object(parts, ratio)\nprint(sum(parts))\n"
    ),
    "added up by a helper": (
        "def total(value):\n    value = value.clone()\n    dist.all_reduce(value)\n    return value\n\n\n"
        "print(total(count(loader)) / len(data))\n"
    ),
    "its sum is handed on before": "right = count(loader)\nreport(right)\nprint(right / len(data))\n",
    "handed on": "ratio = count(loader) / len(data)\nreport(ratio)\n",
    "kept by what is added up later": (
        "class Meter:\n    def __init__(self):\n        self.total = 0.0\n\n"
        "    def update(self, value):\n        self.total += value\n\n"
        "    def sync(self):\n        both = torch.tensor([self.total])\n        dist.all_reduce(both)\n"
        "        self.total = both.item()\n\n\n"
        "meter = Meter()\nmeter.update(count(loader) / len(data))\nmeter.sync()\nprint(meter.total)\n"
    ),
    "handed on with others": "report({'accuracy': count(loader) / len(data)})\n",
    "by the share": "right = count(loader)\nprint(right / len(loader.sampler))\n",
    "by what was seen": "right = count(loader)\nprint(right / (len(data) / world_size))\n",
    "times the ranks": "right = count(loader)\nprint(right / len(data) * world_size)\n",
    "all of it on each rank": "right = count(DataLoader(data, batch_size=8))\nprint(right / len(data))\n",
    "of another set": "other = TensorDataset(torch.load('z.pt'))\nright = count(loader)\nprint(right / len(other))\n",
    "how far it is": "seen = 0\nfor x, y in loader:\n    seen += len(y)\nprint(seen / len(data))\n",
    "how far it is, in the loop": (
        "right = 0\nfor x, y in loader:\n    right += (model(x).argmax(1) == y).sum()\n    print(right / len(data))\n"
    ),
    "by an option": "right = count(loader)\nprint(right / options.samples)\n",
    "of a sampler for one": (
        "right = count(DataLoader(data, sampler=DistributedSampler(data, 1, 0)))\nprint(right / len(data))\n"
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


SUMS = """\
total, seen = torch.zeros(()), torch.zeros(())
for x, y in loader:
    total += nn.functional.cross_entropy(model(x), y, reduction="sum")
    seen += len(y)
"""
OVER_THE_OWN = {
    "its own count": "dist.all_reduce(total)\nprint(total / seen)\n",
    "as numbers": "dist.all_reduce(total, op=dist.ReduceOp.SUM)\nprint(total.item() / seen.item())\n",
    "by the first rank": "dist.all_reduce(total)\nif rank == 0:\n    print((total / seen).item())\n",
    "in place": "dist.all_reduce(total)\ntotal /= seen\nprint(total)\n",
}
OVER_ALL = {
    "both": "dist.all_reduce(total)\ndist.all_reduce(seen)\nprint(total / seen)\n",
    "both in one": "both = torch.stack([total, seen])\ndist.all_reduce(both)\nprint(both[0] / both[1])\n",
    "the mean of the ranks": "dist.all_reduce(total, op=dist.ReduceOp.AVG)\nprint(total / seen)\n",
    "by the ranks before": "dist.all_reduce(total)\ntotal = total / world_size\nprint(total / seen)\n",
    "by the ranks in it": "dist.all_reduce(total)\nprint(total / (seen * world_size))\n",
    "by the ranks behind": "dist.all_reduce(total)\nmean = total / seen\nmean /= world_size\nprint(mean)\n",
    "by a count of the ranks": "dist.all_reduce(total)\nall = seen * world_size\nprint(total / all)\n",
    "the mean of means": "mean = total / seen\ndist.all_reduce(mean)\nprint(mean / world_size)\n",
    "per sample of the set": "dist.all_reduce(total)\nprint(total / len(data))\n",
    "of some": "dist.all_reduce(total, group=options.group)\nprint(total / seen)\n",
}


@pytest.mark.parametrize("name", OVER_THE_OWN)
def test_a_sum_of_all_ranks_over_the_own_count_fires(name: str) -> None:
    [found] = found_in(HEAD + SUMS + OVER_THE_OWN[name], CODE)
    assert "counted alone" in found.message


@pytest.mark.parametrize("name", OVER_ALL)
def test_a_sum_of_all_ranks_over_all_is_silent(name: str) -> None:
    assert found_in(HEAD + SUMS + OVER_ALL[name], CODE) == []

"""DDP303 unsharded-loader."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP303"

HEAD = """\
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Subset, TensorDataset
from torchvision.datasets import CIFAR10
from setup import make_dataset, options

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()


class Pairs(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.zeros(2)


model = DDP(nn.Linear(2, 1))
"""
TRAIN = "for epoch in range(3):\n    for x in loader:\n        model(x).sum().backward()\n"


def program(loader: str, train: str = TRAIN) -> str:
    return f"{HEAD}loader = {loader}\n{train}"


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(Pairs(10), batch_size=2, shuffle=True)",
        "DataLoader(Pairs(10), batch_size=2)",
        "torch.utils.data.DataLoader(TensorDataset(torch.zeros(4, 2)), 2, True)",
        "DataLoader(CIFAR10('.'), batch_size=2, sampler=None)",
        "DataLoader(Subset(Pairs(10), [1, 2, 3]))",
    ],
)
def test_every_rank_trains_on_everything(loader: str) -> None:
    [found] = found_in(program(loader), CODE)
    assert found.severity is Severity.WARNING
    assert at(program(loader), CODE) == [f"loader = {loader}"]


def test_iterable_data_set() -> None:
    stream = "class Stream(IterableDataset):\n    def __iter__(self):\n        yield torch.zeros(2)\n\n"
    assert len(found_in(program("DataLoader(Stream())").replace("model = DDP", stream + "model = DDP"), CODE)) == 1


SILENT = {
    "sampler": ("DataLoader(Pairs(10), sampler=DistributedSampler(Pairs(10)))", TRAIN),
    "own sampler": ("DataLoader(Pairs(10), sampler=options.sampler)", TRAIN),
    "batch sampler": ("DataLoader(Pairs(10), batch_sampler=options.batches)", TRAIN),
    "framework": ("Accelerator().prepare(DataLoader(Pairs(10)))", TRAIN),
    "data set nobody knows": ("DataLoader(make_dataset(), shuffle=True)", TRAIN),
    "rank's own part": ("DataLoader(Subset(Pairs(10), range(rank, 10, world_size)))", TRAIN),
    "options unpacked": ("DataLoader(Pairs(10), **options.loader)", TRAIN),
    "workers share it out": ("DataLoader(Pairs(10), worker_init_fn=options.split)", TRAIN),
    "evaluation": ("DataLoader(Pairs(10))", "for x in loader:\n    model(x)\n"),
    "plain model": ("DataLoader(Pairs(10))", TRAIN.replace("model(x)", "nn.Linear(2, 1)(x)")),
    "on one rank": (
        "DataLoader(Pairs(10))",
        "if rank == 0:\n    for x in loader:\n        model.module(x).sum().backward()\n",
    ),
    "seeded by rank": ("DataLoader(Pairs(10), shuffle=True)", "torch.manual_seed(options.seed + rank)\n" + TRAIN),
    "each takes its turn": (
        "DataLoader(Pairs(10))",
        "for i, x in enumerate(loader):\n    if i % world_size == rank:\n        model(x).sum().backward()\n",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(program(*SILENT[name]), CODE) == []


def test_silent_where_the_data_set_looks_at_the_rank() -> None:
    text = program("DataLoader(Pairs(10))").replace("self.count = count", "self.count = count // world_size")
    assert found_in(text, CODE) == []

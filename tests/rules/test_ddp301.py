"""DDP301 sampler-without-drop-last."""

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import at, fixed_in, found_in

CODE = "DDP301"

PROGRAM = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, SequentialSampler
from data import dataset, model, optimizer, world_size, rank

dist.init_process_group("gloo")
model = DDP(model)
SETUP
for epoch in range(10):
    sampler.set_epoch(epoch)
    for x, y in loader:
        BODY
"""

TRAIN = "model(x).sum().backward()"
LOADER = "\nloader = DataLoader(dataset, batch_size=4, sampler=sampler)"


def program(setup: str, body: str = TRAIN) -> str:
    return PROGRAM.replace("SETUP", setup).replace("BODY", body)


@pytest.mark.parametrize(
    "sampler",
    [
        "sampler = DistributedSampler(dataset)",
        "sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank, shuffle=True)",
        "sampler = torch.utils.data.distributed.DistributedSampler(dataset, world_size, rank)",
    ],
)
def test_training_sampler(sampler: str) -> None:
    assert at(program(sampler + LOADER), CODE) == [sampler]


def test_through_a_batch_sampler() -> None:
    setup = """\
sampler = DistributedSampler(dataset)
batches = torch.utils.data.BatchSampler(sampler, 4, drop_last=True)
loader = DataLoader(dataset, batch_sampler=batches)"""
    assert at(program(setup), CODE) == ["sampler = DistributedSampler(dataset)"]


def test_found_through_helpers_and_wrappers() -> None:
    text = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm
from data import dataset, model

def loaders():
    sampler = DistributedSampler(dataset)
    return DataLoader(dataset, sampler=sampler), sampler

def train_one_epoch(loader):
    for step, x in enumerate(tqdm(loader)):
        model(x).backward()

def main():
    dist.init_process_group("nccl")
    loader, sampler = loaders()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        train_one_epoch(loader)

main()
"""
    assert at(text, CODE) == ["sampler = DistributedSampler(dataset)"]


SILENT = {
    "drop_last": ("sampler = DistributedSampler(dataset, drop_last=True)" + LOADER, TRAIN),
    "decided by an option": ("sampler = DistributedSampler(dataset, drop_last=dataset.cut)" + LOADER, TRAIN),
    "padded on purpose": ("sampler = DistributedSampler(dataset, drop_last=False)" + LOADER, TRAIN),
    "given by position": ("sampler = DistributedSampler(dataset, 2, rank, True, 0, True)" + LOADER, TRAIN),
    "evaluation": ("sampler = DistributedSampler(dataset, shuffle=False)" + LOADER, "print(model(x))"),
    "other sampler": ("sampler = SequentialSampler(dataset)" + LOADER, TRAIN),
    "never iterated": ("other = DistributedSampler(dataset)\nloader = DataLoader(dataset)", TRAIN),
    "options unpacked": ("sampler = DistributedSampler(dataset, **dataset.options)" + LOADER, TRAIN),
    "own sampler": ("class DistributedSampler: ...\nsampler = DistributedSampler(dataset)" + LOADER, TRAIN),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    setup, body = SILENT[name]
    assert found_in(program(setup, body), CODE) == []


def test_evaluation_loop_beside_training() -> None:
    setup = """\
sampler = DistributedSampler(dataset, drop_last=True)
held_out = DistributedSampler(dataset, shuffle=False)
loader = DataLoader(dataset, sampler=sampler)
val_loader = DataLoader(dataset, sampler=held_out)
with torch.no_grad():
    for x in val_loader:
        model(x)"""
    assert found_in(program(setup), CODE) == []


def test_advice_with_an_unsafe_fix() -> None:
    [found] = found_in(program("sampler = DistributedSampler(dataset)" + LOADER), CODE)
    assert found.severity is Severity.ADVICE
    assert found.fix is not None
    assert found.fix.safety is Safety.UNSAFE


def test_fix() -> None:
    before = program("sampler = DistributedSampler(\n    dataset,\n    shuffle=True,\n)" + LOADER)
    after = program("sampler = DistributedSampler(\n    dataset,\n    shuffle=True,\n    drop_last=True,\n)" + LOADER)
    assert fixed_in(before, CODE) == before
    assert fixed_in(before, CODE, unsafe=True) == after


def test_no_fix_where_another_sampler_may_be_made() -> None:
    setup = "kind = DistributedSampler if world_size > 1 else SequentialSampler\nsampler = kind(dataset)" + LOADER
    [found] = found_in(program(setup), CODE)
    assert found.fix is None


TAILS = """\
import torch.distributed as dist
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, SequentialSampler
from setup import data, options

class Stream(IterableDataset):
    def __init__(self, data, drop_last=False):
        self.part = data[dist.get_rank()::dist.get_world_size()]
    def __iter__(self):
        return iter(self.part)

class Packs(BatchSampler):
    def __init__(self, sampler, drop_last=False):
        super().__init__(sampler, 4, drop_last)

"""


@pytest.mark.parametrize(
    "line",
    [
        "DataLoader(Stream(data, drop_last=options.drop_last), batch_size=8)",
        "stream = Stream(data, drop_last=True); DataLoader(stream, batch_size=options.size)",
        "Packs(RandomSampler(data))",
    ],
)
def test_a_tail_that_stays(line: str) -> None:
    [found] = found_in(TAILS + line + "\n", CODE)
    assert found.severity is Severity.ADVICE


@pytest.mark.parametrize(
    "line",
    [
        "DataLoader(Stream(data, drop_last=options.drop_last), batch_size=8, drop_last=options.drop_last)",
        "DataLoader(Stream(data, drop_last=False), batch_size=8)",
        "DataLoader(Stream(data), batch_size=8)",
        "DataLoader(Stream(data, drop_last=True), batch_size=None)",
        "DataLoader(Stream(data, drop_last=True), **options)",
        "DataLoader(Stream(data, drop_last=True), batch_size=8, sampler=options.sampler)",
        "Packs(RandomSampler(data), drop_last=False)",
        "Packs(RandomSampler(data), drop_last=options.drop_last)",
        "Packs(SequentialSampler(data))",
        "BatchSampler(RandomSampler(data), 4, False)",
    ],
)
def test_a_tail_that_is_meant(line: str) -> None:
    assert found_in(TAILS + line + "\n", CODE) == []

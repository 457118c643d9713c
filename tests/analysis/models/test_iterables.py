"""Loops over what the project iterates itself: datasets, samplers and generators that ranks share out."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler


class Lines(IterableDataset):
    def __init__(self, files):
        self.files = files
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()

    def __iter__(self):
{body}


class Mapped(IterableDataset):
    def __init__(self, source, function):
        self.source = source
        self.function = function

    def __iter__(self):
        return self.function(iter(self.source))


def same(samples):
    for sample in samples:
        yield sample


class Shard(Sampler):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        indices = list(range(len(self.data)))
        return iter(indices[dist.get_rank()::dist.get_world_size()])


class Padded(Sampler):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        indices = list(range(len(self.data)))
        indices += indices[: dist.get_world_size() - len(indices) % dist.get_world_size()]
        return iter(indices[dist.get_rank()::dist.get_world_size()])


class Table(Dataset):
    def __getitem__(self, index):
        return index


def main(files):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(torch.nn.Linear(1, 1))
    loader = {loader}
    for step, batch in enumerate(loader):
        {stop}
        model(batch).sum().backward()


main(sorted(sys.argv))
"""
SHARED = """\
        for name in self.files[self.rank :: self.world]:
            yield from open(name)"""
EVERYTHING = """\
        for name in self.files:
            yield name"""
ENDLESS = """\
        while True:
            for name in self.files[self.rank :: self.world]:
                yield name"""
FILTERED = """\
        for name in self.files[self.rank : self.rank + 8]:
            if name.startswith("#"):
                continue
            yield name"""


def codes(body: str = SHARED, loader: str = "DataLoader(Lines(files))", stop: str = "pass") -> list[str]:
    text = PROGRAM.format(body=body, loader=loader, stop=stop)
    return [finding.code for finding in found_in(text, "DDP106")]


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(Lines(files))",
        "DataLoader(Mapped(Lines(files), same), batch_size=4)",
        "Lines(files)",
        "same(Lines(files))",
        "DataLoader(Table(), sampler=Shard(Table()))",
    ],
)
def test_unequal_shares_are_found(loader: str) -> None:
    assert codes(loader=loader) == ["DDP106"]


def test_a_filter_on_each_ranks_own_data_makes_rounds_unequal() -> None:
    assert codes(FILTERED) == ["DDP106"]


@pytest.mark.parametrize("body", [EVERYTHING, ENDLESS])
def test_equal_or_endless_rounds_are_silent(body: str) -> None:
    assert codes(body) == []


def test_a_step_count_that_all_ranks_share_is_silent() -> None:
    assert codes(stop="if step >= 100:\n            break") == []


@pytest.mark.parametrize(
    "loader",
    ["DataLoader(Table(), sampler=Padded(Table()))", "DataLoader(Table(), shuffle=True)", "DataLoader(Table())"],
)
def test_samplers_that_even_out_and_plain_ones_are_silent(loader: str) -> None:
    assert codes(loader=loader) == []


TAKEN = """\
        for number, name in enumerate(self.files):
            if number % self.world == self.rank:
                yield from open(name)"""
LEFT = """\
        for number, name in enumerate(self.files):
            if number % self.world != self.rank:
                continue
            yield name"""
COUNTED = """\
        total = (len(self.files) + self.world - 1) // self.world * self.world
        for number in range(total):
            if number % self.world == self.rank:
                yield self.files[number % len(self.files)]"""
TRIMMED = """\
        files = self.files[: len(self.files) // self.world * self.world]
        for number, name in enumerate(files):
            if number % self.world == self.rank:
                yield name"""

FILLED = """\
        files = list(self.files)
        while len(files) % self.world:
            files.append(files[0])
        for number, name in enumerate(files):
            if number % self.world == self.rank:
                yield name"""


@pytest.mark.parametrize("body", [TAKEN, LEFT], ids=["takes its own", "leaves the others"])
def test_every_nth_of_something_given(body: str) -> None:
    assert codes(body) == ["DDP106"]


@pytest.mark.parametrize("body", [COUNTED, TRIMMED, FILLED], ids=["counted", "cut down", "filled up"])
def test_every_nth_of_a_number_that_was_made_to_fit(body: str) -> None:
    assert codes(body) == []

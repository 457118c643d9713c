"""Groups of all processes, and settings that are overwritten by name."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

GROUP = """
import torch.distributed as dist


def main(rank, world_size, count):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    group = dist.new_group({ranks})
    if rank == 0:
        dist.barrier(group)
"""

SETTINGS = """
import torch.distributed as dist


class Empty:
    pass


class Config:
    def __init__(self, values):
        self.model = Empty()
        self.model.check = False
        self.parts = {{"model": self.model}}
        {change}


def main(rank, world_size, values, name):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    config = Config(values)
    if config.model.check and rank == 0:
        dist.barrier()
"""


@pytest.mark.parametrize("ranks", ["range(world_size)", "list(range(0, world_size))", "[n for n in range(world_size)]"])
def test_a_group_of_all(ranks: str) -> None:
    assert [one.code for one in found_in(GROUP.format(ranks=ranks), "DDP101")] == ["DDP101"]


@pytest.mark.parametrize(
    "ranks",
    [
        "range(count)",
        "range(1, world_size)",
        "[n for n in range(world_size) if n]",
        "[n + 1 for n in range(world_size)]",
    ],
)
def test_a_group_of_some(ranks: str) -> None:
    assert found_in(GROUP.format(ranks=ranks), "DDP101") == []


def test_a_setting_that_stays() -> None:
    assert found_in(SETTINGS.format(change="pass"), "DDP101") == []


def test_a_setting_that_may_be_overwritten() -> None:
    change = "[setattr(self.parts[part], name, value) for part, name, value in values]"
    assert [one.code for one in found_in(SETTINGS.format(change=change), "DDP101")] == ["DDP101"]


FEWER = """
import os
import torch.distributed as dist


def main(options):
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if rank % options.parts != 0:
        exit(0)
    os.environ["WORLD_SIZE"] = str(size // options.parts)
    dist.init_process_group("nccl", world_size={size}, rank=rank // options.parts)
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("size", "found"), [("int(os.environ['WORLD_SIZE'])", 0), ("size // options.parts", 0), ("size", 1)]
)
def test_a_group_of_those_who_have_not_left(size: str, found: int) -> None:
    assert len(found_in(FEWER.format(size=size), "DDP101")) == found

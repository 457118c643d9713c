"""What a rank draws is a number or a tensor: it is not ``None``, and equals no ``None``."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

GENERATE = """\
import random
import torch
import torch.distributed as dist


def generate(count, end={end}):
    total = torch.zeros(1)
    for _ in range(count):
        drawn = {drawn}
        dist.all_reduce(total)
        if {test}:
            return


dist.init_process_group("nccl")
generate(10)
dist.barrier()
"""
TENSOR = "torch.multinomial(torch.ones(3), num_samples=1).to(dtype=torch.int64)"


def found(test: str, drawn: str = TENSOR, end: str = "None") -> list[str]:
    return [
        one[0] if isinstance(one, tuple) else one
        for one in found_in(GENERATE.format(end=end, drawn=drawn, test=test), "DDP104")
    ]


@pytest.mark.parametrize("test", ["drawn == end", "drawn is None", "end is not None and drawn == end"])
@pytest.mark.parametrize("drawn", [TENSOR, "torch.rand(1)", "random.random()"])
def test_nothing_drawn_is_none(test: str, drawn: str) -> None:
    assert not found(test, drawn)


@pytest.mark.parametrize(
    ("test", "drawn", "end"),
    [
        ("drawn == end", TENSOR, "3"),
        ("drawn != end", TENSOR, "None"),
        ("drawn == end", "random.choice([None, 1])", "None"),
        ("drawn is None", "random.choice([None, 1])", "None"),
        ("end is None and drawn == 3", TENSOR, "None"),
    ],
)
def test_what_each_rank_decides_by_what_it_draws(test: str, drawn: str, end: str) -> None:
    assert bool(found(test, drawn, end)) is (test != "drawn != end")

"""Decorators of packages that were not found: by their name, their functions run on the first rank alone."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """
import torch
import torch.distributed as dist
from far.away import helpers
from far.away.helpers import {name}


@{name}
def job(x):
    {body}


def main(x):
    dist.init_process_group("gloo")
    job(x)
    dist.barrier()


main(torch.ones(1))
"""
WRITES = "torch.save(x, 'a.pt')"


def _found(name: str, body: str) -> list[str]:
    return [one.code for one in found_in(PROGRAM.format(name=name, body=body), "DDP101", "DDP201")]


@pytest.mark.parametrize(
    "name", ["rank_zero_only", "master_only", "main_process_only", "on_main_process", "only_rank0", "rank0_only"]
)
def test_only_the_first_rank_runs_it(name: str) -> None:
    assert _found(name, WRITES) == []
    assert _found(name, "dist.all_reduce(x)") == ["DDP101"]


@pytest.mark.parametrize("name", ["timed", "mastery", "ranked", "synchronized", "main"])
def test_other_decorators_change_nothing(name: str) -> None:
    assert _found(name, WRITES) == ["DDP201"]
    assert _found(name, "dist.all_reduce(x)") == []

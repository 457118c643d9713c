"""A check that nobody would pass does not end the walk: what decides it is taken to be unknown."""

from __future__ import annotations

import pytest

from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import NONE, Group, PerRank
from ddplint.analysis.openworld.programs.refuted_checks import without_none
from tests.rules.support import found_in

PROGRAM = """\
import torch
import torch.distributed as dist


class Groups:
    def __init__(self, data, model):
        if data * model != dist.get_world_size():
            raise ValueError("not enough processes")
        self.offsets = self.rest = None

    def first(self):
        assert self.offsets is not None
        return self.offsets[0]


def main():
    dist.init_process_group("gloo")
    groups = Groups(8, 2)
    groups.first()
    {check}
    {guard}torch.save({{}}, "model.pt")


main()
"""
SAVED = 21


def _lines(check: str = "pass", guard: str = "") -> list[int]:
    found = found_in(PROGRAM.format(check=check, guard=guard), "DDP201")
    return [finding.place.range.start_line for finding in found]


def test_the_program_goes_on() -> None:
    assert _lines() == [SAVED]


def test_what_rank_zero_does_alone_behind_it_is_fine() -> None:
    assert _lines(guard="if dist.get_rank() == 0: ") == []


@pytest.mark.parametrize(
    "check",
    [
        "assert False, 'not yet'",
        "raise NotImplementedError",
        "if dist.is_initialized(): raise RuntimeError('twice')",
        "if dist.get_world_size() != 1: raise RuntimeError('one process only')",
        "size = dist.get_world_size()\n    assert size == 1",
    ],
)
def test_what_always_ends_it_ends_it(check: str) -> None:
    assert _lines(check) == []


def test_one_rank_that_refuses_is_gone() -> None:
    assert _lines("assert dist.get_rank() == 0") == []


def test_what_a_handler_takes_is_an_answer() -> None:
    answer = "try:\n        assert groups.rest is not None\n    except AssertionError:\n        return"
    assert _lines(answer) == []


GROUP = """\
import torch.distributed as dist

_GROUP = None


def set_up(sizes):
    global _GROUP
    _GROUP = make(sizes)


def group():
    {check}
    return _GROUP


def main():
    dist.init_process_group("gloo")
    if dist.get_rank(group=group()) == 0:
        dist.barrier()


main()
"""


@pytest.mark.parametrize(
    ("check", "count"),
    [
        ("assert _GROUP is not None, 'not set up'", 0),
        ("assert _GROUP", 0),
        ("if _GROUP is None:\n        raise RuntimeError('not set up')", 0),
        ("if not _GROUP:\n        raise RuntimeError('not set up')", 0),
        ("pass", 1),
        ("print(_GROUP is None)", 1),
    ],
)
def test_what_nobody_may_be_without_has_been_set(check: str, count: int) -> None:
    assert len(found_in(GROUP.format(check=check), "DDP101")) == count


def test_a_rank_that_a_check_lets_through_has_a_group() -> None:
    first, second = Group(1, None), Group(2, None)
    in_first, in_second = symbol("in", "first"), symbol("in", "second")
    held = either(in_second, second, either(in_first, first, NONE))
    assert without_none(held) == either(in_second, second, first)
    assert without_none(PerRank((held, held, held, NONE), None)) == PerRank((*[without_none(held)] * 3, NONE), None)


GROUPS = """\
import sys
import torch.distributed as dist

GROUP = None


def initialize(size):
    global GROUP
    rank = dist.get_rank()
    for start in range(0, dist.get_world_size(), size):
        ranks = range(start, start + size)
        group = dist.new_group(ranks)
        if rank in ranks:
            GROUP = group


dist.init_process_group("gloo")
initialize(int(sys.argv[1]))
{check}
if GROUP is None:
    if dist.get_rank() == 0:
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("assert GROUP is not None", []),
        ("if GROUP is None:\n    raise RuntimeError('not initialized')", []),
        ("assert GROUP is None or sys.argv", ["DDP101"]),
        ("pass", ["DDP101"]),
    ],
)
def test_behind_a_check_no_rank_is_without_a_group(check: str, found: list[str]) -> None:
    assert [one.code for one in found_in(GROUPS.format(check=check), "DDP1")] == found

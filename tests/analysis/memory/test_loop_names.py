"""Who reads a name that only a loop binds has seen a round of that loop."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch.distributed as dist


def train(first, last, keep, resumed):
    {before}
    met = False
    {loop}
    if dist.get_rank() == 0:
        {read}
        if not met:
            dist.barrier()


dist.init_process_group("gloo")
train(*settings())
"""
LOOP = """for epoch in range(first, last):
        if not met:
            dist.barrier()
            met = True
"""
EITHER = """if resumed:
        for epoch in range(first, last):
            dist.barrier()
            met = True
    else:
        for epoch in range(last):
            dist.barrier()
            met = True
"""


def codes(**parts: str) -> list[str]:
    return [one.code for one in found_in(PROGRAM.format(**{"before": "pass", "loop": LOOP, **parts}), "DDP101")]


@pytest.mark.parametrize("read", ["print(epoch)", "save(f'{epoch}.pt')", "keep(epoch) if keep else epoch + 1"])
@pytest.mark.parametrize("loop", [LOOP, EITHER], ids=["a loop", "one of two loops"])
def test_the_loop_had_a_round(read: str, loop: str) -> None:
    assert codes(read=read, loop=loop) == []


@pytest.mark.parametrize("loop", [LOOP, EITHER], ids=["a loop", "one of two loops"])
def test_it_may_have_had_none_where_nobody_reads_its_name(loop: str) -> None:
    assert codes(read="print(last)", loop=loop) == ["DDP101"]


@pytest.mark.parametrize(
    ("before", "loop", "read"),
    [
        ("epoch = 0", LOOP, "print(epoch)"),
        ("pass", f"{LOOP}    epoch = met", "print(epoch)"),
        ("pass", LOOP, "try:\n            print(epoch)\n        except NameError:\n            pass"),
    ],
    ids=["a name before the loop", "a name after the loop", "a handler"],
)
def test_the_name_may_be_there_without_a_round(before: str, loop: str, read: str) -> None:
    assert codes(before=before, loop=loop, read=read) == ["DDP101"]


def test_the_program_ends_where_there_was_no_round() -> None:
    read = "print(epoch)\n    if last:\n        epoch\n    if dist.get_rank() == 1:\n        if last and not met:\n"
    assert codes(read=read + "            dist.barrier()\n    if dist.get_rank() == 0:\n        pass") == []

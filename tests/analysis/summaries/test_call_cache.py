"""Functions that keep their results run their bodies once."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

PROGRAM = """
import functools
import torch.distributed as dist


class Trainer:
    @{property}
    def total(self):
        dist.barrier()
        return self.count


{decorator}
def evaluate(step):
    dist.barrier()
    return step


def main(trainer, args):
    dist.init_process_group("gloo")
    {first}
    if dist.get_rank() == 0:
        {second}


main(Trainer(), settings())
"""


def found(folder: Path, **parts: str) -> bool:
    """Whether a program with these parts has a DDP101."""
    path = folder / "train.py"
    path.write_text(PROGRAM.format(**{"property": "property", "decorator": "", "first": "pass", **parts}), "utf-8")
    return any(finding.code == "DDP101" for finding in ddplint.check([path]).findings)


@pytest.mark.parametrize("decorator", ["@functools.cache", "@functools.lru_cache", "@functools.lru_cache(maxsize=8)"])
@pytest.mark.parametrize("argument", ["3", "args.step"])
def test_a_second_call_runs_nothing(tmp_path: Path, decorator: str, argument: str) -> None:
    call = f"evaluate({argument})"
    assert not found(tmp_path, decorator=decorator, first=call, second=call)
    assert found(tmp_path, first=call, second=call)


def test_the_first_call_runs_the_body(tmp_path: Path) -> None:
    assert found(tmp_path, decorator="@functools.cache", second="evaluate(3)")


def test_other_arguments_run_it_again_when_they_are_known(tmp_path: Path) -> None:
    assert found(tmp_path, decorator="@functools.cache", first="evaluate(2)", second="evaluate(3)")
    assert not found(tmp_path, decorator="@functools.cache", first="evaluate(args.a)", second="evaluate(args.b)")


def test_a_cached_property_is_worked_out_once(tmp_path: Path) -> None:
    twice = {"first": "trainer.total", "second": "trainer.total"}
    assert not found(tmp_path, property="functools.cached_property", **twice)
    assert found(tmp_path, property="property", **twice)
    assert found(tmp_path, property="functools.cached_property", second="trainer.total")


RANK = """
import functools
import os
import torch.distributed as dist


@functools.lru_cache()
def rank():
    return int(os.environ["RANK"])


def main():
    dist.init_process_group("gloo")
    first = rank()
    if rank() == {number}:
        dist.barrier()
    if {always}:
        dist.barrier()


main()
"""


@pytest.mark.parametrize(
    ("number", "always", "count"),
    [(0, "rank() < 4", 1), (True, "rank() < 4", 1), (7, "rank() is True", 0), (7, "rank() > 2", 1)],
)
def test_a_kept_result_is_what_the_first_call_gave(tmp_path: Path, number: object, always: str, count: int) -> None:
    path = tmp_path / "train.py"
    path.write_text(RANK.format(number=number, always=always), "utf-8")
    assert sum(finding.code == "DDP101" for finding in ddplint.check([path]).findings) == count

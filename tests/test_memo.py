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

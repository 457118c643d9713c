"""Behind a return of all ranks but one, those that are left are together only where nobody has left."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from tests.rules.support import found_in

EVALUATOR = """\
import torch
import torch.distributed as dist


class Evaluator:
    def __init__(self, {option}):
        self.{option} = {option}
        self.predictions = []

    def evaluate(self, folder):
        predictions = self.predictions
        if self.{option}:
            everything = [None] * dist.get_world_size()
            dist.all_gather_object(everything, predictions)
            predictions = everything
            {leave}
        torch.save(predictions, folder + "/predictions.pt")
"""
LEAVE = "if dist.get_rank() != 0:\n                return"


@pytest.mark.parametrize("option", ["distributed", "gathered"])
def test_the_rank_that_is_left_writes_alone(option: str) -> None:
    assert found_in(EVALUATOR.format(option=option, leave=LEAVE), "DDP201") == []


def test_all_ranks_write_where_none_leaves() -> None:
    found = found_in(EVALUATOR.format(option="gathered", leave="pass"), "DDP201")
    assert [finding.code for finding in found] == ["DDP201"]


SLURM = """\
import os
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
number = int(os.environ["SLURM_NODEID"]) * torch.cuda.device_count(){more}
if number {test}:
    dist.barrier()
"""


@pytest.mark.parametrize(("more", "test"), [("", "!= -1"), (" + 1", "> 0"), ("", ">= 0"), ("", "== -1")])
def test_numbers_that_are_never_negative(more: str, test: str) -> None:
    assert found_in(SLURM.format(more=more, test=test), "DDP1") == []


@pytest.mark.parametrize(("more", "test"), [("", "!= 0"), (" - 1", "!= -1")])
def test_numbers_that_differ(more: str, test: str) -> None:
    assert [finding.code for finding in found_in(SLURM.format(more=more, test=test), "DDP1")] == ["DDP101"]


def test_a_library_that_looks_at_shared_state_is_no_sign_of_many_ranks(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(
        "from accelerate.state import AcceleratorState\n\n\ndef sharded():\n    return AcceleratorState().plugin\n"
        "\n\nclass Model:\n    def __init__(self):\n        self.sharded = sharded()\n"
    )
    main = tmp_path / "main.py"
    for more, expected in (("", []), ("from accelerate import Accelerator\nAccelerator()\n", ["DDP201"])):
        main.write_text(f'from library import Model\n{more}Model()\nopen("out.txt", "w").write("x")\n')
        assert [one.code for one in ddplint.check([tmp_path]).findings if one.code == "DDP201"] == expected

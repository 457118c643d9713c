"""Where a result of code out of sight decides, a fix puts no barrier, and is no safe one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ddplint
from ddplint.rule import Safety

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import argparse

import torch
import torch.distributed as dist
from engine import build, evaluate, improved, make_ema, total
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
args = parser.parse_args()
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(2, 2))
loader = build(args)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.best = 0

    def validate(self):
        accuracy = torch.tensor(evaluate(self.model)).cuda()
        dist.all_reduce(accuracy)
        return accuracy.item()


trainer = Trainer(model)
for epoch in range(args.epochs):
    {before}
    if {asked}:
        torch.save({{}}, "best.pt")
"""

OPEN = {
    "a metric": "evaluate(model, loader) > 0.5",
    "an item of metrics": "evaluate(model)['accuracy'] > trainer.best",
    "given an object that has the model": "improved(trainer)",
    "with an option": "args.epochs > 3 and evaluate(model) > 0.5",
}

SETTLED = {
    "an option": "args.epochs > 3",
    "the epoch": "epoch % 5 == 0",
    "what options give": "total(args) > 3",
    "how long the data is": "len(loader) > 3",
    "whether there is something": "make_ema(model) is not None",
    "what all have agreed on": "trainer.validate() > trainer.best",
}


def safeties(tmp_path: Path, asked: str, before: str = "pass") -> list[Safety]:
    (tmp_path / "train.py").write_text(PROGRAM.format(asked=asked, before=before))
    found = ddplint.check([tmp_path], select=["DDP201"]).findings
    return [one.fix.safety for one in found if one.fix is not None]


@pytest.mark.parametrize("asked", OPEN.values(), ids=OPEN)
def test_what_ranks_may_see_differently(tmp_path: Path, asked: str) -> None:
    assert safeties(tmp_path, asked) == [Safety.UNSAFE]


def test_behind_a_way_out(tmp_path: Path) -> None:
    assert safeties(tmp_path, "epoch > 3", before="if evaluate(model) > 0.9: break") == [Safety.UNSAFE]


@pytest.mark.parametrize("asked", SETTLED.values(), ids=SETTLED)
def test_what_they_see_alike(tmp_path: Path, asked: str) -> None:
    assert safeties(tmp_path, asked) == [Safety.SAFE]


def test_no_barrier_is_put_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.format(asked="evaluate(model) > 0.5", before="pass"))
    [found] = ddplint.check([tmp_path], select=["DDP201"]).findings
    assert found.fix is not None
    assert "without a barrier" in found.fix.title

"""What a method sets behind a ``return`` that each rank takes for itself is set on those that stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

PROGRAM = """\
import random
import torch
import torch.distributed as dist
class Stopper:
    def __init__(self):
        self.best, self.bad, self.done = 9.0, 0, False
    def step(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
            return False
        self.bad += 1
        if self.bad >= 1:
            self.done = True
        return self.done
    def always(self, value):
        if value < self.best:
            self.done = True
            return
        self.done = True
    def never(self, value):
        if value < self.best:
            return
        self.best = value
def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    kept = Stopper()
    for epoch in range(5):
        loss = torch.tensor([random.random()])
        {body}
main()
"""
DONE = "\n        if kept.done:\n            "
SILENT = {
    "a number of all": f"dist.all_reduce(loss)\n        kept.step(loss.item()){DONE}dist.barrier()",
    "set on both ways": f"kept.always(loss.item()){DONE}dist.barrier()",
    "something else is set": f"kept.never(loss.item()){DONE}dist.barrier()",
    "nothing collective": f"kept.step(loss.item()){DONE}print(epoch)",
    "of one rank, and nothing follows": f"if rank == 0:\n            kept.step(loss.item()){DONE}break",
}
FOUND = {
    "set later": f"kept.step(loss.item()){DONE}dist.barrier()",
    "left by it": f"dist.barrier()\n        kept.step(loss.item()){DONE}break",
}


def _codes(folder: Path, body: str) -> set[str]:
    (folder / "train.py").write_text(PROGRAM.format(body=body))
    return {one.code for one in check([str(folder)], Settings()).findings if one.code.startswith("DDP1")}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent(tmp_path: Path, body: str) -> None:
    assert not _codes(tmp_path, body)


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_found(tmp_path: Path, body: str) -> None:
    assert _codes(tmp_path, body)

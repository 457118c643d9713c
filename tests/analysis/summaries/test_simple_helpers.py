"""Helpers of a few lines, in modules without a word of other ranks, say exactly what they decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

HELPERS = """\
def ready(value):
    return True if value else False

def prepare(value):
    found = ready(value)
    if not found:
        return found
    return True

def always(value):
    pass

class Every:
    def __init__(self, every):
        self.every = every
        self.calls = 0

    def tick(self, value=None):
        self.calls += 1
        return self.calls % self.every == 0

class Best:
    def __init__(self):
        self.best = None

    def better(self, value):
        if self.best is None or value < self.best:
            self.best = value
            return True
        return False
"""
TRAINER = """\
import random
import sys
import torch.distributed as dist
from helpers import Best, Every, always, prepare
dist.init_process_group("gloo")
rank = dist.get_rank()
every, best = Every(2), Best()
def main(resume):
    {body}
    dist.barrier()
main(len(sys.argv) > 1)
"""
SILENT = {
    "known for the one that asks": "if rank == 0:\n        if not prepare(rank == 0):\n            return",
    "nothing is returned": "if always(rank == 0):\n        return",
    "calls are counted, whatever they are given": (
        "for epoch in range(4):\n        if every.tick(random.random()):\n            dist.barrier()"
    ),
    "one and the same option": (
        "if not prepare(resume):\n        return\n    if rank == 0 and not resume:\n        return"
    ),
    "the same for all": "if not prepare(resume):\n        return",
}
FOUND = {
    "by rank": "if prepare(rank == 0):\n        return",
    "by a number of each rank's own": (
        "for epoch in range(4):\n        if best.better(random.random()):\n            dist.barrier()"
    ),
}


def _codes(folder: Path, body: str) -> set[str]:
    (folder / "helpers.py").write_text(HELPERS)
    (folder / "train.py").write_text(TRAINER.format(body=body))
    return {one.code for one in check([str(folder)], Settings()).findings if one.code.startswith("DDP1")}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent(tmp_path: Path, body: str) -> None:
    assert _codes(tmp_path, body) == set()


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_found(tmp_path: Path, body: str) -> None:
    assert _codes(tmp_path, body)

"""A function that is handed to a helper is followed into it, though the helper's module says nothing of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

HELPER = """\
import time

def timed(step, log=True):
    start = time.time() if log else 0
    {call}
    return result, time.time() - start

def twice(step):
    first = step()
    return first or step()

class Kept:
    def __init__(self, step):
        self.step = step

def keep(step):
    return Kept(step)

def traced(step):
    def run(*args):
        return step(*args)
    return run
"""
TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from helper import keep, timed, traced, twice

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DDP(torch.nn.Linear(2, 2))
for x in [torch.ones(1, 2)] * 3:
    def step():
        loss = model(x).sum()
        loss.backward()
        {inside}
        return float(loss)
    {use}
"""
ALONE = "if rank == 0:\n            dist.barrier()"
FOUND = {
    "timed": (ALONE, "loss, seconds = timed(step)"),
    "a lambda": ("pass", "timed(lambda: dist.barrier() if rank == 0 else None)"),
    "twice": (ALONE, "twice(step)"),
    "for one rank": ("dist.barrier()", "if rank == 0:\n        timed(step)"),
}
SILENT = {
    "alike on all ranks": ("dist.barrier()", "loss, seconds = timed(step)"),
    "rank 0 prints": ("if rank == 0:\n            print(loss)", "loss, seconds = timed(step)"),
    "a sum behind it": ("dist.all_reduce(loss.detach())", "twice(step)"),
    "both branches": (
        "dist.barrier()",
        "if rank == 0:\n        loss, seconds = timed(step)\n    else:\n        loss, seconds = timed(step)",
    ),
    "what is called is not known": ("dist.barrier()", "timed(unknown)"),
    "wrapped alike": ("dist.barrier()", "traced(step)()"),
}


def _codes(case: tuple[str, str], call: str, folder: Path) -> set[str]:
    inside, use = case
    (folder / "pyproject.toml").write_text("")
    (folder / "helper.py").write_text(HELPER.format(call=call))
    (folder / "train.py").write_text(TRAINER.format(inside=inside, use=use))
    return {finding.code for finding in check(["."], Settings(select=("DDP101", "DDP102", "DDP103"))).findings}


@pytest.mark.parametrize("call", ["result = step()", "result = None\n    result = step()"])
@pytest.mark.parametrize("case", FOUND)
def test_ranks_differ_in_what_is_handed_over(
    case: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _codes(FOUND[case], call, tmp_path)


@pytest.mark.parametrize("case", SILENT)
def test_ranks_do_alike(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _codes(SILENT[case], "result = step()", tmp_path) == set()

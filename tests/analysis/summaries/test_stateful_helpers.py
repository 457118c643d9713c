"""Objects that keep a state are followed, though their module says nothing of ranks: early stoppers, meters."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

STOPPER = """\
class Stopper:
    def __init__(self, limit):
        self.best, self.bad, self.limit, self.done = None, 0, limit, False

    def __call__(self, value):
        if self.best is None or value < self.best:
            self.best = value
            self.bad = 0
        else:
            self.bad += 1
        self.done = self.bad >= self.limit
"""
METER = """\
class Meter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n
        self.avg = self.sum / self.count
"""
TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from data import rows
from stop import Stopper
from meter import Meter

dist.init_process_group("gloo")
loader = DataLoader(rows, sampler=DistributedSampler(rows))
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
stop, meter = Stopper(4), Meter()
for epoch in range(9):
    for batch in loader:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
{body}
"""

OWN = {
    "stops by its own loss": "    stop(loss.item())\n    if stop.done:\n        break",
    "goes by the mean of its own": "    meter.update(loss.item())\n    if meter.avg < 1:\n        dist.barrier()",
}
SHARED = {
    "stops by the loss of all": (
        "    mean = loss.detach()\n    dist.all_reduce(mean)\n    stop(mean.item())\n    if stop.done:\n        break"
    ),
    "goes by the mean of all": (
        "    mean = loss.detach()\n    dist.all_reduce(mean)\n    meter.update(mean.item())\n    if meter.avg < 1:\n"
        "        dist.barrier()"
    ),
    "counts epochs": "    meter.update(epoch)\n    if meter.count > 4:\n        dist.barrier()",
    "only prints": "    meter.update(loss.item())\n    if meter.avg < 1:\n        print(meter.avg)",
}


def _codes(body: str, folder: Path) -> set[str]:
    (folder / "pyproject.toml").write_text("")
    (folder / "stop.py").write_text(STOPPER)
    (folder / "meter.py").write_text(METER)
    (folder / "data.py").write_text("rows = list(range(90))\n")
    (folder / "train.py").write_text(TRAINER.format(body=body))
    return {finding.code for finding in check(["."], Settings(select=("DDP1",))).findings}


@pytest.mark.parametrize("case", OWN)
def test_a_state_of_each_ranks_own(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _codes(OWN[case], tmp_path) == {"DDP104"}


@pytest.mark.parametrize("case", SHARED)
def test_a_state_that_is_alike(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _codes(SHARED[case], tmp_path) == set()

"""What a model of another file gives: which fields it has is one for all ranks, what is in them is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

NETS = """\
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, options, after=None):
        super().__init__()
        self.options, self.after, self.inner = options, after, nn.Linear(3, 3)

    def forward(self, batch):
        if self.after is not None:
            return self.after(batch)
        logits = self.inner(batch["x"])
        made = {"loss": F.cross_entropy(logits, batch["y"]), "right": (logits.argmax(-1) == batch["y"]).sum()}
        if self.options.by_class:
            made["by_class"] = F.one_hot(logits.argmax(-1)).sum(0)
        return made
"""
TRAIN = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from build import loader, options
from nets import Net

dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
model = DistributedDataParallel({net})
for batch in loader:
    out = model(batch)
    out["loss"].backward()
    if {test}:
        dist.all_reduce(out["right"])
"""
QUIET = {"a field": '"by_class" in out', "not there": '"by_class" not in out'}
FOUND = {
    "its value": 'out["right"] > 3',
    "whether it is finite": 'torch.isfinite(out["loss"])',
    "a number among those of the batch": 'out["right"] in batch["y"]',
}


MODELS = ["Net(options)", "Net(options, Net(options, Net(options, Net(options))))"]
"""One whose forward is walked, and one whose last is not: it calls itself too often."""


def _found(test: str, net: str, tmp_path: Path) -> list[int]:
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "train.py").write_text(TRAIN.format(test=test, net=net))
    report = ddplint.check([str(tmp_path)])
    return [one.place.range.start_line for one in report.findings if one.code == "DDP104"]


@pytest.mark.parametrize("net", MODELS)
@pytest.mark.parametrize("name", QUIET)
def test_which_fields_there_are(name: str, net: str, tmp_path: Path) -> None:
    assert not _found(QUIET[name], net, tmp_path)


@pytest.mark.parametrize("net", MODELS)
@pytest.mark.parametrize("name", FOUND)
def test_what_is_in_them(name: str, net: str, tmp_path: Path) -> None:
    assert _found(FOUND[name], net, tmp_path)

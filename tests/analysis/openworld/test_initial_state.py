"""A name that is set later is not taken for what stands there first, where a function is entered from nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from tests.rules.support import findings

GUARDED = """
    if dist.get_rank() == 0:
        dist.barrier()
"""

STATE = """
import torch.distributed as dist

_GROUP = None
_READY = False


def setup(ranks):
    global _GROUP, _READY
    assert _GROUP is None
    _GROUP = dist.new_group(ranks)
    _READY = True


def group():
    assert _GROUP is not None, "call setup first"
    return _GROUP


def meet():
    if not _READY:
        return
    dist.barrier()
"""

CALLBACK = """
import torch.distributed as dist


class Callback:
    _trainer = None

    @property
    def trainer(self):
        assert self._trainer is not None
        return self._trainer

    @trainer.setter
    def trainer(self, trainer):
        self._trainer = trainer


class Saver(Callback):
    def on_end(self):
        path = self.trainer.folder
        if dist.get_rank() == 0:
            dist.barrier()
"""

FIELDS = """
from dataclasses import dataclass

import torch.distributed as dist


@dataclass
class Saver:
    every: bool = False

    def on_end(self):
        if not self.every:
            return
        if dist.get_rank() == 0:
            dist.barrier()
"""

LATER = """
import torch.distributed as dist


class Saver:
    def __init__(self):
        self.model = None

    def attach(self, model):
        self.model = model

    def on_end(self):
        if self.model is None:
            return
        if dist.get_rank() == 0:
            dist.barrier()
"""


def codes(folder: Path, name: str, **files: str) -> list[str]:
    for each, text in files.items():
        (folder / f"{each}.py").write_text(text)
    return [finding.code for finding in ddplint.check([folder / f"{name}.py"]).findings]


def test_a_global_of_another_module_may_have_been_set(tmp_path: Path) -> None:
    step = f"import torch.distributed as dist\nimport state\n\n\ndef step(x):\n    state.group(){GUARDED}"
    assert codes(tmp_path, "train", state=STATE, train=step) == ["DDP101"]


def test_a_flag_of_another_module_may_have_been_set(tmp_path: Path) -> None:
    step = (
        "import torch.distributed as dist\nfrom state import meet\n\n\n"
        "def step(x):\n    if dist.get_rank() == 0:\n        meet()\n"
    )
    assert codes(tmp_path, "train", state=STATE, train=step) == ["DDP101"]


@pytest.mark.parametrize("text", [CALLBACK, FIELDS, LATER], ids=["class", "fields", "object"])
def test_an_attribute_may_have_been_set(tmp_path: Path, text: str) -> None:
    assert codes(tmp_path, "saver", saver=text) == ["DDP101"]


def test_the_beginning_of_a_program_finds_it_unset(tmp_path: Path) -> None:
    main = (
        "import torch.distributed as dist\nfrom state import meet\n\n\n"
        "def main():\n    if dist.get_rank() == 0:\n        meet()\n\nmain()\n"
    )
    assert codes(tmp_path, "train", state=STATE, train=main) == []


def test_what_only_the_maker_sets_is_known(tmp_path: Path) -> None:
    text = LATER.replace("    def attach(self, model):\n        self.model = model\n\n", "")
    assert codes(tmp_path, "saver", saver=text) == []


RANK = """
import torch.distributed as dist

_RANK = None


def rank():
    global _RANK
    if _RANK is None:
        _RANK = dist.get_rank()
    return _RANK


def step(x):
    if rank() == 0:
        {guarded}
    dist.all_reduce(x)
"""


def test_what_is_made_when_asked_for_is_made(tmp_path: Path) -> None:
    found = ddplint.check([_written(tmp_path, RANK.format(guarded="dist.barrier()"))]).findings
    assert [(one.code, one.confidence.value) for one in found] == [("DDP101", "high")]


def test_what_is_made_when_asked_for_is_the_same_each_time(tmp_path: Path) -> None:
    guarded = "print(x)\n    if rank() != 0:\n        dist.barrier()\n    if rank() == 0:\n        dist.barrier()"
    assert ddplint.check([_written(tmp_path, RANK.format(guarded=guarded))]).findings == []


def _written(folder: Path, text: str) -> Path:
    (folder / "train.py").write_text(text)
    return folder / "train.py"


SET_UP_LATER = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)

class Trainer:
    def __init__(self, args):
        self.model = Net.load(args.path) if args.path else Net()

    def set_up(self):
        {wrapped} = DDP(self.model)

    def evaluate(self, loader):
        for batch in loader:
            self.model(batch)

    def train(self, loader):
        for batch in loader:
            self.model(batch).sum().backward()
            self.optimizer.step()
        if dist.get_rank() == 0:
            self.evaluate(loader)
        dist.barrier()
"""


def test_another_method_has_wrapped_the_model() -> None:
    wrapped = SET_UP_LATER.format(wrapped="self.model")
    assert findings(wrapped, "DDP601") == []
    assert len(findings(wrapped, "DDP102")) == 1
    beside = SET_UP_LATER.format(wrapped="self.ddp")
    assert len(findings(beside, "DDP601")) == 1
    assert findings(beside, "DDP102") == []

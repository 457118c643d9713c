"""A model of the project whose parts the walk does not know: what its source uses tells of buffers."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

NETS = """\
import torch
from torch import nn
from tqdm import tqdm

from parts import Block, Other


class Base(nn.Module):
    def sizes(self):
        return [p.numel() for p in tqdm(self.parameters())]


class Net(Base):
    def __init__(self, depth, width=8, kind=None):
        super().__init__()
        block = Block if kind is None else Other
        self.blocks = nn.ModuleList([block(width) for _ in range(depth)])
        self.norm = nn.LayerNorm(width) if kind != "none" else None

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
PARTS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = {inner}

    def forward(self, x):
        return self.inner(x)


class Other(nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)


def unrelated():
    return nn.BatchNorm1d(3)
"""
TRAIN = """\
import torch
from accelerate import Accelerator

from build import loader, options
from nets import Net

accelerator = Accelerator()
model = accelerator.prepare(Net(**options.model))
for batch in loader:
    accelerator.backward(model(batch).sum())
    if accelerator.is_main_process:
        with torch.no_grad():
            model(batch)
    accelerator.wait_for_everyone()
"""
INNER = {
    "linear": ("nn.Linear(width, width)", False),
    "chosen by a number": ("nn.Linear(width, width) if width > 3 else nn.Identity()", False),
    "a batch norm": ("nn.BatchNorm1d(width)", True),
}


@pytest.mark.parametrize("name", INNER)
def test_a_guarded_pass_without_gradients(name: str, tmp_path: Path) -> None:
    inner, found = INNER[name]
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "parts.py").write_text(PARTS.format(inner=inner))
    (tmp_path / "train.py").write_text(TRAIN)
    report = ddplint.check([str(tmp_path)])
    assert any(one.code == "DDP102" for one in report.findings) is found


def test_parts_of_a_package_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(NETS.replace("from parts import Block, Other", "from layers import Block, Other"))
    (tmp_path / "train.py").write_text(TRAIN)
    report = ddplint.check([str(tmp_path)])
    assert any(one.code == "DDP102" for one in report.findings)


@pytest.mark.parametrize(
    "line", ["self.register_buffer('ids', torch.zeros(3))", "self.ids = nn.Buffer(torch.zeros(3))"]
)
def test_buffers_of_its_own(line: str, tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(
        NETS.replace("super().__init__()\n        block", f"super().__init__()\n        {line}\n        block")
    )
    (tmp_path / "parts.py").write_text(PARTS.format(inner="nn.Linear(width, width)"))
    (tmp_path / "train.py").write_text(TRAIN)
    report = ddplint.check([str(tmp_path)])
    assert any(one.code == "DDP102" for one in report.findings)


GIVEN = {
    "a class that its source names": ("Block(8)", False),
    "one with buffers": ("nn.BatchNorm1d(8)", True),
}


@pytest.mark.parametrize("name", GIVEN)
def test_parts_that_it_was_given(name: str, tmp_path: Path) -> None:
    part, found = GIVEN[name]
    takes = NETS.replace("kind=None", "kind=None, given=None")
    takes = takes.replace("self.norm = ", "self.given = given\n        self.norm = ")
    imports = "import torchvision\nfrom torch import nn\nfrom nets import Net\nfrom parts import Block"
    train = TRAIN.replace("from nets import Net", imports)
    (tmp_path / "nets.py").write_text(takes)
    (tmp_path / "parts.py").write_text(PARTS.format(inner="nn.Linear(width, width)"))
    (tmp_path / "train.py").write_text(train.replace("Net(**options.model)", f"Net(**options.model, given={part})"))
    report = ddplint.check([str(tmp_path)])
    assert any(one.code == "DDP102" for one in report.findings) is found

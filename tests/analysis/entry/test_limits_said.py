"""What a walk leaves out for its length is said in the report; what the index answers has no limit."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from ddplint.analysis.domain import limits as of_walks
from ddplint.project import limits as of_projects

STAND_INS = """\
import torch.distributed as dist

class First:
    def __init__(self):
        self.rank = dist.get_rank()

    def step(self):
        dist.barrier()

class Second(First):
    pass

def train(first: First, second: Second):
    first.step()
    second.step()
"""
DEEP = "import torch.distributed as dist\n\ndef f0():\n    dist.barrier()\n\n" + "\n".join(
    f"def f{number}():\n    f{number - 1}()\n" for number in range(1, 6)
)
TRAINER = "import torch.distributed as dist\nfrom {module} import go\n\ndist.init_process_group('gloo')\ngo({given})\n"
MEETING = "import torch.distributed as dist\n\ndef go(one):\n    if one:\n        dist.barrier()\n"
PLAIN = "def go(one):\n    return one + 1\n"


def said(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return [one.text for one in ddplint.check([folder / "train.py"]).limits]


def test_objects_that_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(tmp_path, train=STAND_INS) == []
    monkeypatch.setattr(of_walks, "STAND_INS", 1)
    assert [one for one in said(tmp_path, train=STAND_INS) if one.startswith("more than 1 objects that nobody makes")]


def test_calls_in_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(tmp_path, train=DEEP) == []
    monkeypatch.setattr(of_walks, "CALL_DEPTH", 3)
    assert [one for one in said(tmp_path, train=DEEP) if one.startswith("more than 3 calls in calls")]


@pytest.mark.parametrize("helper", [MEETING, PLAIN])
def test_modules_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, helper: str) -> None:
    trainer = TRAINER.format(module="helper", given="True")
    assert said(tmp_path, train=trainer, helper=helper) == []
    monkeypatch.setattr(of_projects, "MODULE_BYTES", len(trainer))
    table = helper + "table = [" + "1, " * 200 + "]\n"
    found = said(tmp_path, train=trainer, helper=table)
    assert [one for one in found if one.endswith(f"helper.py: larger than {len(trainer)} bytes, not followed")]


HUB = """\
import torch.distributed as dist

class Hub:
    def push_to_hub(self, repo):
        if dist.get_rank() == 0:
            upload(self, repo)
"""
PUBLISHER = """\
import sys
import torch.distributed as dist
{imports}
from hub import Hub

def publish(model: Hub, repo):
    model.push_to_hub(repo)

dist.init_process_group("gloo")
dist.barrier()
publish(make_model(sys.argv), sys.argv[1])
"""


def test_a_method_of_the_project_is_found_behind_many_imports(tmp_path: Path) -> None:
    """The module that has it is the last of more than a hundred that are imported."""
    names = [f"part{number}" for number in range(120)]
    for name in names:
        (tmp_path / f"{name}.py").write_text("import torch\n")
    (tmp_path / "hub.py").write_text(HUB)
    (tmp_path / "train.py").write_text(PUBLISHER.format(imports="\n".join(f"import {name}" for name in names)))
    assert [one.code for one in ddplint.check([tmp_path / "train.py"], select=["DDP201"]).findings] == []


MODELS = "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
EVALUATION = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from models import Net

dist.init_process_group("gloo")
model = DDP(Net())
if dist.get_rank() == 0:
    with torch.no_grad():
        model(torch.zeros(1))
dist.barrier()
"""


@pytest.mark.parametrize(("last", "codes"), [("nn.Linear(2, 2)", []), ("nn.BatchNorm1d(2)", ["DDP102"])])
def test_a_model_of_many_parts_makes_no_buffers(tmp_path: Path, last: str, codes: list[str]) -> None:
    count = 300
    net = "".join(f"        self.part{number} = Part{number}()\n" for number in range(count))
    parts = "".join(
        f"\nclass Part{number}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.layer = {'nn.Linear(2, 2)' if number < count - 1 else last}\n"
        for number in range(count)
    )
    (tmp_path / "models.py").write_text(MODELS + net + parts)
    (tmp_path / "train.py").write_text(EVALUATION)
    assert [one.code for one in ddplint.check([tmp_path / "train.py"], select=["DDP1"]).findings] == codes

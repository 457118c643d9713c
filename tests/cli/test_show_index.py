"""``--show-index``: effects and where they come from, callers and callees."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

TRAIN = """\
import torch.distributed as dist
from evaluation import evaluate


def train(model, loader):
    dist.barrier()
    evaluate(model, loader)
    model.unheard_of()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "evaluation.py").write_text("def evaluate(model, loader):\n    for x in loader:\n        model(x)\n")
    return tmp_path


def test_effects_and_where_they_come_from(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show-index", "train"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "train.py:5: train",
        "  is walked where it is called, or as an entry of its own where nothing calls it",
        "  communicates: dist.barrier (line 6)",
        "  meets other ranks: dist.barrier (line 6)",
        "  calls what it is given: model (line 7)",
        "  calls what it is given: model.unheard_of (line 8)",
        "  calls evaluate (evaluation.py:1, line 7)",
        "  called by nobody that was found (tests do not count)",
    ]


MEAN = "def mean(values):\n    total = 0\n    for one in values:\n        total = total + one\n    return total\n"


def test_whether_it_is_walked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "statistics_of.py").write_text(MEAN)
    (project / "more.py").write_text(f"import torch.distributed as dist\n\n\n{MEAN.replace('mean', 'middle')}")
    said = {}
    for name in ("evaluate", "mean", "middle"):
        assert main(["--show-index", name]) == 0
        said[name] = capsys.readouterr().out.splitlines()[1].strip()
    assert said["evaluate"].startswith("is walked only where it is given something that matters")
    assert said["mean"].startswith("is not walked")
    assert said["middle"] == "is walked once for each kind of call: it only computes"


def test_callers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show-index", "evaluate"]) == 0
    assert "  called by train (train.py:5)" in capsys.readouterr().out


def test_a_test_is_no_caller(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "test_it.py").write_text("from train import train\n\n\ndef test_train():\n    train(None, [])\n")
    assert main(["--show-index", "train"]) == 0
    assert "  called by nobody that was found (tests do not count)\n" in capsys.readouterr().out


def test_what_begins_a_walk(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "group.py").write_text(
        "import torch.distributed as dist\n\n\ndef start():\n    dist.init_process_group()\n"
    )
    (project / "run.py").write_text("from group import start\n\nstart()\n")
    assert main(["--show-index", "<module>"]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = {line.partition(":")[0]: lines[number + 1].strip() for number, line in enumerate(lines) if line[0] != " "}
    assert said["train.py"] == "is walked as a program of its own: its file is about other ranks"
    assert said["run.py"].startswith("is walked as a program of its own")
    assert said["evaluation.py"].startswith("is not walked as a program")


HOOKS = """\
import lightning.pytorch as pl


class Net(pl.LightningModule):
    def training_step(self, batch, number):
        self.all_gather(batch)

    def helper(self):
        return 1
"""


def test_a_class_and_who_calls_its_methods(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text(HOOKS)
    assert main(["--show-index", "Net"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line[0] != " "] == ["net.py:5: Net.training_step", "net.py:8: Net.helper"]
    assert lines[1].startswith("  is walked as an entry of its own: ")
    assert lines[1].endswith("LightningModule calls it")


def test_no_such_function(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "old.py").write_text("print 'a'\n")
    assert main(["--show-index", "evalaute"]) == 2
    said = capsys.readouterr().err
    assert "no function or class 'evalaute' in the 3 files of .; did you mean 'evaluate'?" in said
    assert "old.py: not read: line 1" in said


def test_what_cannot_be_read_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "old.py").write_text("print 'a'\n")
    assert main(["--show-index", "train"]) == 0
    assert "old.py: not read: line 1" in capsys.readouterr().out

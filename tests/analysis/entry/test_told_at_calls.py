"""What a helper does on every rank, where the helper itself is not checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.findings.results import Report
from ddplint.source.file import SourceFile

HELPER = """\
import json


def note(options, folder):
    with open(f"{folder}/options.json", "w") as file:
        json.dump(options, file)
"""
MAIN = """\
import os
import torch.distributed as dist
from helper import note


def main(options):
    dist.init_process_group("gloo")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    if GUARD:
        note(options, "runs")


main({"lr": 1})
"""


def _run(folder: Path, guard: str, *names: str) -> Report:
    (folder / "helper.py").write_text(HELPER)
    (folder / "train.py").write_text(MAIN.replace("GUARD", guard))
    files = [SourceFile(str(folder / name), (folder / name).read_bytes()) for name in names]
    return Checker(Settings(select=("DDP201", "DDP204", "DDP401"))).run(files)


def _lines(report: Report) -> list[tuple[str, str, int]]:
    return [
        (one.code, Path(one.place.file.path).name, one.place.range.start_line)
        for one in report.findings
        if one.code != "DDP401"
    ]


def test_it_is_told_at_the_call(tmp_path: Path) -> None:
    report = _run(tmp_path, "options", "train.py")
    assert _lines(report) == [("DDP201", "train.py", 10)]
    [found] = [one for one in report.findings if one.code == "DDP201"]
    assert found.fix is None
    assert found.no_fix
    assert [Path(note.place.file.path).name for note in found.notes if note.role == "related"] == ["helper.py"]


def test_it_is_told_at_each_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = MAIN.replace(
        '        note(options, "runs")\n', '        note(options, "runs")\n        note(options, "logs")\n'
    )
    monkeypatch.setattr("tests.analysis.entry.test_told_at_calls.MAIN", twice)
    assert _lines(_run(tmp_path, "options", "train.py")) == [("DDP201", "train.py", 10), ("DDP201", "train.py", 11)]


@pytest.mark.parametrize("names", [("helper.py", "train.py"), ("helper.py",)])
def test_it_is_told_once_and_at_its_place_where_that_is_checked(names: tuple[str, ...], tmp_path: Path) -> None:
    assert _lines(_run(tmp_path, "options", *names)) == [("DDP201", "helper.py", 5)]


def test_it_is_told_at_a_guard_that_is_true_once_on_every_node(tmp_path: Path) -> None:
    assert _lines(_run(tmp_path, "local == 0", "train.py")) == [("DDP204", "train.py", 9)]


def test_a_guarded_call_is_fine(tmp_path: Path) -> None:
    assert _lines(_run(tmp_path, "rank == 0", "train.py")) == []


def test_what_is_silenced_in_the_helper_is_silenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silenced = HELPER.replace('"w") as file:', '"w") as file:  # ddplint: ignore[DDP201] one folder for each rank')
    monkeypatch.setattr("tests.analysis.entry.test_told_at_calls.HELPER", silenced)
    assert _lines(_run(tmp_path, "options", "train.py")) == []


def test_other_rules_keep_to_the_checked_files(tmp_path: Path) -> None:
    (tmp_path / "start.py").write_text("import torch.distributed as dist\n\ndef go():\n    dist.init_process_group()\n")
    text = "import torch.distributed as dist\nfrom start import go\ngo()\ndist.barrier()\n"
    found = Checker(Settings(select=("DDP401",))).run([SourceFile(str(tmp_path / "train.py"), text.encode())]).findings
    assert found == []


TRAINER = """\
from torch.nn.parallel import DistributedDataParallel as DDP

class Trainer:
    def __init__(self, model):
        self.model = DDP(model)

    def train(self, loader):
        self._run(loader)

    def _run(self, loader):
        for x in loader:
            self.model(x).sum().backward()
"""
EPOCHS = """\
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler
from data import items
from trainer import Trainer

dist.init_process_group("gloo")
sampler = DistributedSampler(items)
loader = DataLoader(items, sampler=sampler)
trainer = Trainer(nn.Linear(2, 1))
for epoch in range(10):
    {told}
    trainer.train(loader)
"""


@pytest.mark.parametrize(("told", "lines"), [("pass", [11]), ("sampler.set_epoch(epoch)", [])])
def test_a_loop_over_batches_in_epochs_that_another_file_counts(told: str, lines: list[int], tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(TRAINER)
    (tmp_path / "train.py").write_text(EPOCHS.format(told=told))
    files = [SourceFile(str(tmp_path / "trainer.py"), (tmp_path / "trainer.py").read_bytes())]
    report = Checker(Settings(select=("DDP302",))).run(files)
    assert [one.place.range.start_line for one in report.findings] == lines
    assert all("call set_epoch" in one.no_fix for one in report.findings)

"""One mistake that stands at several places is one finding, and its fix mends all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.config.levels import Severity
from ddplint.config.reasons import Because
from ddplint.engine.judging.repeated import merged
from ddplint.findings.certainty import Certainty
from ddplint.findings.detached import Replacement, SettledFix, at
from ddplint.findings.model import Finding, Safety
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range

START = """\
import os

import torch.distributed as dist


def begin(options):
    options.distributed = "RANK" in os.environ
    if not options.distributed:
        print("one process")
        return
    dist.init_process_group("gloo")
"""
PROGRAM = """\
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from start import begin

options = argparse.ArgumentParser().parse_args()
begin(options)
model = torch.nn.Linear(2, 2)
if options.distributed:
    model = DistributedDataParallel(model)
dist.barrier()
print({name!r})
"""


@pytest.fixture(name="trainers")
def _trainers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three programs that wait for others where a run of one process has nobody to wait for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "start.py").write_text(START)
    for name in ("pretrain", "retrieve", "answer"):
        (tmp_path / f"{name}.py").write_text(PROGRAM.format(name=name))
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    """The findings of DDP114, from a report in JSON."""
    main(["--select", "DDP114", "--output-format", "json", *options, "."])
    return [one for one in json.loads(capsys.readouterr().out)["findings"] if one["code"] == "DDP114"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_one_start_leaves_out_is_one_finding(
    jobs: str, trainers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = found(capsys, "--jobs", jobs)
    kept = found(capsys, "--jobs", jobs)
    for findings in (fresh, kept):
        assert len(findings) == 1
        fix = findings[0]["fix"]
        assert isinstance(fix, dict)
        assert {edit["path"] for edit in fix["edits"]} == {"answer.py", "pretrain.py", "retrieve.py"}


def test_its_unsafe_fix_mends_all_places(trainers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--select", "DDP114", "--fix", "--unsafe-fixes", "."])
    capsys.readouterr()
    assert found(capsys) == []
    texts = [(trainers / f"{name}.py").read_text() for name in ("pretrain", "retrieve", "answer")]
    assert all("if dist.is_initialized():\n    dist.barrier()" in text for text in texts)


def test_fixes_that_came_from_a_worker_are_all_kept() -> None:
    """Those are records and replaced text; their edits on nodes stayed with the worker."""
    findings = []
    for name in ("a.py", "b.py"):
        place = at(SourceFile(name, b"x = 1\n"), Range(1, 1, 1, 2))
        fix = SettledFix(
            "Rename it", Safety.SAFE, (), (), ({"path": name},), (Replacement(place.file, place.span, "y"),)
        )
        certainty = Certainty((Because.AS_WRITTEN,))
        findings.append(Finding("DDP999", "named", Severity.WARNING, certainty, "x", place, fix=fix, mistake="x"))
    (only,) = merged(findings, ())
    assert isinstance(only.fix, SettledFix)
    assert [one["path"] for one in only.fix.records] == ["a.py", "b.py"]
    assert [one.file.path for one in only.fix.changes] == ["a.py", "b.py"]

"""What is too large for an exact walk is walked again on a coarser rung, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.analysis.domain import limits
from ddplint.config.levels import Confidence, Severity
from ddplint.config.reasons import Because
from ddplint.config.settings import Settings
from ddplint.engine.checker import check
from ddplint.findings.results import Report

SETUP = """\
import sys

import torch
import torch.distributed as dist


def share(layer):
    dist.broadcast(layer.weight, src=0)
    dist.broadcast(layer.bias, src=0)


def setup(config):
    share(config.first)
"""
TRAINING = """

dist.init_process_group("gloo")
setup(sys.argv)
total = torch.zeros(1)
{}
    dist.all_reduce(total)
"""
GUARDED = TRAINING.format("if dist.get_rank() == 0:")
COMMON = TRAINING.format("for _ in range(3):")


def report_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int, training: str) -> Report:
    monkeypatch.chdir(tmp_path)
    calls_in_setup = "".join(f"    share(config.part{number})\n" for number in range(calls))
    (tmp_path / "train.py").write_text(SETUP + calls_in_setup + training)
    return check(["train.py"], Settings(select=("DDP101",)))


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that ends early, as one of a very large program does."""
    monkeypatch.setattr(limits, "SOFT_STEPS", 1_200)
    monkeypatch.setattr(limits, "HARD_STEPS", 1_200)
    monkeypatch.setattr(limits, "SHORT_CALL", 5)


def test_a_program_that_fits_is_walked_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_of(tmp_path, monkeypatch, 60, GUARDED)
    assert [one.severity for one in report.findings] == [Severity.ERROR]
    assert Because.COARSE not in report.findings[0].certainty.because


@pytest.mark.usefixtures("few_steps")
def test_a_larger_one_is_judged_coarsely_and_no_longer_walked_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = report_of(tmp_path, monkeypatch, 60, GUARDED)
    assert not report.limits
    (finding,) = report.findings
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.MEDIUM)
    assert Because.COARSE in finding.certainty.because
    assert finding.fix is None
    assert "coarse analysis" in finding.no_fix


@pytest.mark.usefixtures("few_steps")
def test_a_coarse_walk_invents_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_of(tmp_path, monkeypatch, 60, COMMON)
    assert not report.findings
    assert not report.limits


@pytest.mark.usefixtures("few_steps")
def test_what_no_rung_brings_to_an_end_is_walked_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COARSER", (limits.Precision(2, 2),))
    assert report_of(tmp_path, monkeypatch, 60, GUARDED).limits

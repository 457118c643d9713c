"""Two real processes: what hangs is named with its planted line, and what is right runs as without the witness."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.harness.configuration import parse
from fixtures.harness.fixture import load_all
from fixtures.harness.launch import Limits
from fixtures.harness.watched import AFTER, PATIENT, judge_hang, judge_silent, run_watched

pytest.importorskip("torch")
pytestmark = pytest.mark.torchrun

TWO = parse("gloo-cpu-2")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", "1")


@pytest.mark.parametrize("name", ["guarded_barrier", "rank_as_root", "slow_validation"])
def test_a_planted_line_is_named_and_the_finding_fits(tmp_path: Path, name: str) -> None:
    (fixture,) = load_all((name,))
    judged = judge_hang(fixture, run_watched(fixture, tmp_path, TWO, Limits(20, 80), AFTER, forked=False))
    assert judged.problems == []


@pytest.mark.parametrize("name", ["ok_both_branches", "ok_subgroups"])
def test_a_look_alike_runs_as_without(tmp_path: Path, name: str) -> None:
    (fixture,) = load_all((name,))
    seen = run_watched(fixture, tmp_path / "with", TWO, Limits(60, 120), PATIENT, forked=False)
    bare = run_watched(fixture, tmp_path / "without", TWO, Limits(60, 120), 0, forked=False)
    assert judge_silent(fixture, seen, bare).problems == []
    assert seen.printed

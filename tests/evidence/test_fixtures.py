"""The fixture trainers: what is found in them, and what happens when they run.

Finding is checked for all of them. Running takes real processes and is marked ``torchrun``; ``slow`` marks those
that are left out where time is short (``-m "torchrun and not slow"`` is the subset for every change).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from fixtures.harness.fixture import ROOT, Fixture, load_all
from fixtures.harness.prove import Options, default, prove
from fixtures.harness.rewrite import ddplint_environment

FIXTURES = load_all()
Findings = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def found() -> Findings:
    """What ``ddplint`` finds in every trainer and reference, by path below the fixtures."""
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("*/*.py") if path.parent.name != "harness")
    done = subprocess.run(
        [sys.executable, "-m", "ddplint", "--output-format", "json", *files],
        cwd=ROOT,
        env=ddplint_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    findings: Findings = defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        findings[finding["place"]["path"].replace(os.sep, "/")].append(finding)
    return findings


def places(findings: list[dict[str, Any]]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted({(finding["place"]["line"], finding["code"]) for finding in findings}))


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_found_on_the_marked_lines_and_nothing_else(fixture: Fixture, found: Findings) -> None:
    assert places(found[f"{fixture.name}/train.py"]) == fixture.expectations()


@pytest.mark.parametrize("fixture", [f for f in FIXTURES if f.faulty], ids=lambda fixture: fixture.name)
def test_the_fix_has_the_promised_safety(fixture: Fixture, found: Findings) -> None:
    fixes = [finding["fix"] for finding in found[f"{fixture.name}/train.py"]]
    assert {fix["safety"] if fix else "none" for fix in fixes} == {fixture.fix}


@pytest.mark.parametrize("fixture", [f for f in FIXTURES if f.faulty], ids=lambda fixture: fixture.name)
def test_nothing_is_found_in_the_correct_reference(fixture: Fixture, found: Findings) -> None:
    assert places(found[f"{fixture.name}/reference.py"]) == ()


def test_there_are_enough_look_alikes() -> None:
    assert sum(not fixture.faulty for fixture in FIXTURES) >= 6


def test_every_style_has_a_faulty_trainer() -> None:
    assert {fixture.style for fixture in FIXTURES if fixture.faulty} >= {"script", "functions", "class", "accelerate"}


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/train.py")), ids=lambda path: path.parent.name)
def test_trainers_have_the_length_of_real_ones(path: Path) -> None:
    assert 60 <= len(path.read_text(encoding="utf-8").splitlines()) <= 300


def runs(fixture: Fixture) -> object:
    marks = [pytest.mark.torchrun] if fixture.ci else [pytest.mark.torchrun, pytest.mark.slow]
    return pytest.param(fixture, id=fixture.name, marks=marks)


@pytest.mark.parametrize("fixture", [runs(fixture) for fixture in FIXTURES])
def test_fault_is_seen_and_the_rewrite_finishes_like_the_reference(fixture: Fixture) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs torch")
    proof = prove(fixture, Options(default(fixture)))
    if proof.skipped:
        pytest.skip(proof.skipped)
    assert proof.problems == []

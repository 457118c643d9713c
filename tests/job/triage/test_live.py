"""Triage on logs that were written a moment ago: every fixture that hangs is run, and its planted line must come first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from fixtures.harness.fixture import ROOT, Fixture, load_all
from fixtures.harness.launch import Limits, run
from fixtures.harness.prove import default

pytestmark = [pytest.mark.torchrun, pytest.mark.slow]
pytest.importorskip("torch")

HANGING = [fixture for fixture in load_all() if fixture.fault == "hang"]


@pytest.mark.parametrize("fixture", HANGING, ids=lambda fixture: fixture.name)
def test_the_planted_line_is_first(
    fixture: Fixture, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, missing = fixture.name, fixture.missing_modules()
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    raw = run(fixture.train, tmp_path / "run", default(fixture), Limits(group=6, outer=90))
    assert raw.returncode != 0
    logs = []
    for rank, (out, err) in enumerate(zip(raw.stdout, raw.stderr, strict=True)):
        logs.append(tmp_path / f"rank{rank}.log")
        logs[-1].write_text(out + err)
    (tmp_path / "agent.log").write_text(raw.agent)
    monkeypatch.chdir(ROOT)
    paths = [*map(str, logs), str(tmp_path / "agent.log")]
    assert main(["triage", *paths, "--source", name, "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    first = record["places"][0]
    assert record["cause"] == "diverged" or (record["cause"] == "slow" and "diverged" in record["also"])
    planted = [(f"{name}/train.py:{line}", code) for line, code in fixture.expectations()]
    assert record["fits"]
    assert (first["place"], first["code"]) in planted

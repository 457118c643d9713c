"""From what real jobs on NCCL left (two ranks of each hanging fixture) to the planted line."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from ddplint.cli.main import main
from fixtures.harness.fixture import ROOT, load_all

ARCHIVE = ROOT / "results" / "nccl-cuda-logs.tar.gz"
FIXTURES = {fixture.name: fixture for fixture in load_all()}
ROOTS = "rank_as_root"
"""Broadcasts with different roots complete on NCCL and leave no trace; what hangs is another operation."""


def recorded() -> dict[str, list[tarfile.TarInfo]]:
    found: dict[str, list[tarfile.TarInfo]] = {}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            parts = Path(member.name).parts
            if member.isfile() and parts[0] == "logs" and parts[2] == "faulty":
                found.setdefault(parts[1], []).append(member)
    return found


LEFT = recorded()
WITH_DUMPS = [name for name, members in LEFT.items() if any("flight_recorder" in one.name for one in members)]


def left(name: str, folder: Path) -> list[str]:
    """Unpack what a job left; the arguments that give its logs and its dumps."""
    arguments, dumps = [], folder / "dumps"
    dumps.mkdir()
    with tarfile.open(ARCHIVE) as archive:
        for member in LEFT[name]:
            content = archive.extractfile(member)
            assert content is not None
            path = (dumps if "flight_recorder" in member.name else folder) / Path(member.name).name
            path.write_bytes(content.read())
            arguments += [str(path)] if path.suffix == ".log" else []
    return [*arguments, "--dump", str(dumps)]


@pytest.mark.parametrize("name", sorted(set(WITH_DUMPS) - {ROOTS}))
def test_dumps_lead_to_the_planted_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = left(name, tmp_path)
    monkeypatch.chdir(ROOT)
    for given in (arguments, arguments[-2:]):
        main(["triage", *given, "--source", name, "--output-format", "json"])
        told = json.loads(capsys.readouterr().out)
        planted = [(f"{name}/train.py:{line}", code) for line, code in FIXTURES[name].expectations()]
        assert told["fits"]
        assert (told["places"][0]["place"], told["places"][0]["code"]) in planted


def test_numbers_that_nobody_recorded_call_nothing_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = left(ROOTS, tmp_path)
    monkeypatch.chdir(ROOT)
    main(["triage", *arguments, "--source", ROOTS, "--output-format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert not told["fits"]
    assert told["places"][0]["place"] == f"{ROOTS}/train.py:30"

"""From the log of a fixture's real run to its planted line.

``data/*.log`` is what torchrun printed for the faulty fixtures that hang (two gloo processes, a timeout of six seconds),
with the paths of the machine replaced (``python -m tests.job.triage.record``). ``data/recorder`` are Flight Recorder
dumps of a small trainer that hung on gloo.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ddplint.cli.main import main
from fixtures.harness.fixture import ROOT, load_all

DATA = Path(__file__).parent / "data"
HANGING = [fixture for fixture in load_all() if fixture.fault == "hang"]
NOTICED = "out_of_memory"
"""Gloo notices that the sizes differ of what the ranks exchange, and ends one: it leaves no stack, and nobody waits."""

RECORDED = """\
import torch
import torch.distributed as dist


def evaluate(rank):
    if rank == 0:
        dist.barrier()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    evaluate(rank)
    dist.all_reduce(torch.ones(100))


main()
"""


def triage(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["triage", *arguments, "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert isinstance(record, dict)
    return record


def test_every_hanging_fixture_has_a_log() -> None:
    assert {fixture.name for fixture in HANGING} == {path.stem for path in DATA.glob("*.log")}


def test_sizes_that_gloo_notices_lead_to_the_planted_line_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says that sizes differ, and so does the verdict; what makes the ranks part is named with it."""
    (fixture,) = (fixture for fixture in HANGING if fixture.name == NOTICED)
    monkeypatch.chdir(ROOT)
    record = triage(capsys, str(DATA / f"{NOTICED}.log"), "--source", NOTICED)
    assert record["cause"] == "sizes"
    places = record["places"]
    assert isinstance(places, list)
    assert [(one["place"], one["code"]) for one in places] == [
        (f"{NOTICED}/train.py:{line}", code) for line, code in fixture.expectations()
    ]


@pytest.mark.parametrize(
    "fixture", [one for one in HANGING if one.name != NOTICED], ids=lambda fixture: str(fixture.name)
)
def test_the_planted_line_is_first(
    fixture: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = fixture.name  # type: ignore[attr-defined]
    monkeypatch.chdir(ROOT)
    record = triage(capsys, str(DATA / f"{name}.log"), "--source", name)
    planted = [(f"{name}/train.py:{line}", code) for line, code in fixture.expectations()]  # type: ignore[attr-defined]
    assert record["cause"] == "diverged" or (record["cause"] == "slow" and "diverged" in record["also"])
    assert record["fits"]
    places = record["places"]
    assert isinstance(places, list)
    assert (places[0]["place"], places[0]["code"]) in planted


@pytest.mark.parametrize("name", ["guarded_eval", "metric_helper", "zero_consolidate"])
def test_among_several_programs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted line of one program among those of four, all called ``train.py``."""
    wanted = ["branch_order", "guarded_eval", "metric_helper", "zero_consolidate"]
    for fixture in HANGING:
        if fixture.name in wanted:
            (tmp_path / fixture.name).mkdir()
            shutil.copy(fixture.train, tmp_path / fixture.name)
    monkeypatch.chdir(tmp_path)
    places = triage(capsys, str(DATA / f"{name}.log"), "--source", ".")["places"]
    ((line, _),) = next(fixture for fixture in HANGING if fixture.name == name).expectations()
    assert isinstance(places, list)
    assert len(places) >= len(wanted)
    assert places[0]["place"] == f"{name}/train.py:{line}"


def test_says_when_nothing_fits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["triage", str(DATA / "guarded_eval.log"), "--source", "ok_save_barrier_load"]) == 1
    assert "no place where ranks diverge was found" in capsys.readouterr().out
    assert main(["triage", str(DATA / "guarded_eval.log"), "--source", "branch_order"]) == 1
    out = capsys.readouterr().out
    assert "fits best" not in out or "branch_order" in out


@pytest.mark.parametrize("form", ["json", "pickle"])
def test_dumps_of_a_hang_on_gloo(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = triage(capsys, "--dump", str(DATA / "recorder" / form))
    assert (record["cause"], record["also"], record["waiting"]) == ("diverged", [], [0, 1])
    waits = record["waits"]
    assert isinstance(waits, list)
    assert [(wait["rank"], wait["op"], wait["seq"]) for wait in waits] == [(0, "BARRIER", 2), (1, "ALL_REDUCE", 2)]


def test_the_stacks_of_a_dump_lead_to_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "frhang.py"
    blank = "\n" * (19 - RECORDED[: RECORDED.index("    if rank == 0")].count("\n") - 1)
    source.write_text(blank + RECORDED)
    places = triage(capsys, "--dump", str(DATA / "recorder" / "pickle"), "--source", str(tmp_path))["places"]
    assert isinstance(places, list)
    assert places[0]["place"].endswith("frhang.py:20")
    assert "rank 0 stood at frhang.py:20, the finding's place" in places[0]["because"]

"""Traces as a dead job leaves them, read by ``ddplint triage``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main

TRAIN = """\
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()
    dist.all_reduce(x)


main()
"""
HEAD = {"format": "ddplint-witness", "version": 1, "world": 2}


def write(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def trace(folder: Path, rank: int, op: str, line: int, **more: object) -> None:
    at = [[str(folder / "train.py"), 11, "<module>"], [str(folder / "train.py"), line, "main"]]
    head = {**HEAD, "rank": rank}
    group, kind = {"group": "all", "ranks": [0, 1]}, {"kind": 0, "op": op, "at": at}
    write(folder / f"rank{rank}.jsonl", head, group, kind, {"step": ["all", 1, 0], "time": 1.0 + rank, **more})


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    trace(tmp_path, 0, "barrier", 7)
    trace(tmp_path, 1, "all_reduce", 8)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    main(["triage", *arguments, "--output-format", "json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_both_sides_and_the_finding_are_named(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "--traces", str(job), "--source", str(job))
    assert found["cause"] == "diverged"
    assert found["fits"] is True
    places = found["places"]
    assert isinstance(places, list)
    assert places[0]["code"] == "DDP101"
    assert places[0]["place"].endswith("train.py:7")


def test_the_newest_attempt_counts(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1):
        trace(job, rank, "barrier", 7, seconds=0.1)
        (job / f"rank{rank}.jsonl").rename(job / f"attempt1-rank{rank}.jsonl")
        trace(job, rank, "all_reduce" if rank else "barrier", 7)
    assert told(capsys, "--traces", str(job))["cause"] == "healthy"


def test_a_job_that_ended_well_says_nothing(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1):
        trace(job, rank, "all_reduce", 8, seconds=0.1)
    assert told(capsys, "--traces", str(job))["cause"] == "healthy"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]\n",
        '{"step":["all",1,5]}\n',
        '{"kind":0,"op":1,"at":7}\n',
        '{"group":"all","ranks":"x"}\n',
        "\0" * 9,
    ],
)
def test_what_is_no_trace_is_passed_over(job: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (job / "rank1.jsonl").write_text(text)
    assert told(capsys, "--traces", str(job))["dumps"] == 2


def test_a_trace_that_is_cut_off(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = job / "rank1.jsonl"
    path.write_text(path.read_text() + '{"step":["al')
    assert told(capsys, "--traces", str(job))["cause"] == "diverged"


def test_a_folder_without_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["triage", "--traces", str(tmp_path)]) == 2
    assert "no traces" in capsys.readouterr().err

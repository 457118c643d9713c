"""Folders that are too large: what is read of them, in which order, and that the rest is said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.reading import folders
from ddplint.job.triage.reading.folders import Budget

KILLED = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-01T01:00:00 DUE TO TIME LIMIT ***\n"
STEPS = "step 1 loss 2\nstep 2 loss 1\n"


def written(path: Path, text: str, changed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (changed, changed))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two logs at the top, the newer one last by name, and one further down that is newer still."""
    written(tmp_path / "a.log", STEPS, 1000)
    written(tmp_path / "b.log", KILLED, 2000)
    written(tmp_path / "old" / "c.log", STEPS, 3000)
    return tmp_path


def names(top: Path) -> tuple[list[str], Budget]:
    budget = Budget()
    return [os.path.relpath(one.path, top) for one in budget.chosen(str(top))], budget


def test_all_of_a_small_folder_by_name(tree: Path) -> None:
    chosen, budget = names(tree)
    assert chosen == ["a.log", "b.log", os.path.join("old", "c.log")]
    assert budget.told == ""


def test_what_nobody_calls_a_log_is_not_counted(tree: Path) -> None:
    for name in ("train.py", "weights.pt", ".hidden", "site-packages/x.txt", "__pycache__/y.log", ".git/z.log"):
        written(tree / name, KILLED, 4000)
    assert len(names(tree)[0]) == 3


def test_the_nearest_and_newest_first(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_FILES", 2)
    chosen, budget = names(tree)
    assert chosen == ["b.log", "a.log"]
    budget.read = 2
    assert "2 of 3 files were read, the nearest and newest first (limits: 2 files" in budget.told


def test_bytes_count_as_well(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(folders, "MOST_BYTES", 60)
    assert main(["triage", str(tree), "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["cause"] == "scheduler"  # b.log, which is the newest at the top
    assert "1 of 3 files were read" in record["problems"][0]
    assert record["confidence"] == "low"  # the first failure may be in the rest


def test_time_counts_as_well(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(folders, "SECONDS", -1)
    assert main(["triage", str(tree)]) == 2  # nothing was read at all
    assert "0 of 3 files were read, in the order of their names" in capsys.readouterr().err


def test_a_file_is_left_in_the_middle(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddplint.job.triage.facts import Evidence
    from ddplint.job.triage.reading import reader

    monkeypatch.setattr(folders, "MOST_BYTES", 3 << 20)
    written(tree / "b.log", STEPS * 200_000, 2000)
    evidence = Evidence()
    reader.read_logs([str(tree)], evidence)
    assert evidence.unread
    assert f"the last one not to its end ({tree / 'b.log'})" in evidence.problems[0]
    assert 0 < evidence.lines < 400_000


def test_nothing_found_in_a_part_is_no_clean_bill(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(folders, "MOST_FILES", 1)
    written(tree / "b.log", STEPS + "training finished\n", 2000)
    assert main(["triage", str(tree)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("not known: no failure found in what was read, and that was not all")
    assert "warning: " in out


def test_a_log_that_was_given_by_name_is_read_whole(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for limit in ("MOST_FILES", "MOST_BYTES", "SECONDS"):
        monkeypatch.setattr(folders, limit, 0)
    assert main(["triage", str(tree / "b.log")]) == 1
    assert "warning" not in capsys.readouterr().out


def test_folders_are_not_looked_through_for_ever(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_MOST_ENTRIES", 3)
    chosen, budget = names(tree)
    assert chosen == ["b.log", "a.log"]  # the folder further down was not opened
    budget.read = 2
    assert "2 of more than 2 files were read" in budget.told


def test_a_link_to_the_folder_above_is_no_circle(tree: Path) -> None:
    (tree / "old" / "up").symlink_to(tree, target_is_directory=True)
    assert len(names(tree)[0]) == 3

"""The mined cases are complete, the miner finds a repair in a history, and the scorer counts what is near."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from .mined.cases import CODES, DIFFICULTIES, Case, case_of, load
from .mined.mine import candidates, changed_files, ranked, repository_name, weight
from .mined.score import TOOL, Score, near, places, score, summary

FAULTY = """\
import torch
import torch.distributed as dist


def save(model, path):
    torch.save(model, path)


dist.init_process_group("nccl")
if dist.get_rank() == 0:
    dist.barrier()
"""
GUARDED = FAULTY.replace("    torch.save", "    if dist.get_rank() == 0:\n        torch.save")
CASE = Case("a-01", "own/trainer", "", "", "train.py", (10, 11), "bug", "guarded-collective", "easy", "w", "r")


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    return subprocess.run(["git", *who, "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone as in a mirror, whose second commit repairs a save and whose third says nothing."""
    folder = tmp_path / "mirror" / "own+trainer" / "repo"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    for message, name, text in (
        ("start", "train.py", FAULTY),
        ("Fix race: only rank 0 writes the checkpoint", "train.py", GUARDED),
        ("readme", "notes.py", "print()\n"),
    ):
        (folder / name).write_text(text, "utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", message)
    return folder


def test_the_set_is_large_and_spread() -> None:
    cases = load()
    assert sum(case.kind == "bug" for case in cases) >= 60
    assert sum(case.kind == "clean" for case in cases) >= 10
    assert len({case.repo for case in cases}) >= 15
    assert max(Counter(case.repo for case in cases).values()) <= 8
    assert len({case.id for case in cases}) == len(cases)
    assert len({(case.repo, case.commit, case.path, case.lines) for case in cases}) == len(cases)


@pytest.mark.parametrize("case", load(), ids=lambda case: case.id)
def test_every_record_is_complete(case: Case) -> None:
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", case.repo)
    assert re.fullmatch(r"[0-9a-f]{40}", case.commit)
    assert case.kind in ("bug", "clean")
    assert bool(case.fix) == (case.kind == "bug")
    assert re.fullmatch(r"[0-9a-f]{40}|", case.fix)
    assert case.path.endswith(".py")
    assert 1 <= case.lines[0] <= case.lines[1] <= case.lines[0] + 60
    assert case.name in CODES
    assert case.difficulty in DIFFICULTIES
    assert len(case.why) > 30
    assert bool(case.repaired) == (case.kind == "bug")


def test_a_field_too_many_is_refused() -> None:
    record = {**vars(CASE), "class": CASE.name, "lines": [1, 2], "source": "x"}
    del record["name"]
    with pytest.raises(TypeError):
        case_of(json.dumps(record))


def test_the_repair_is_a_candidate(clone: Path) -> None:
    (found,) = candidates(clone, "own/trainer")
    assert found.path == "train.py"
    assert found.commit == git(clone, "rev-parse", "HEAD~2").strip()
    assert found.fix == git(clone, "rev-parse", "HEAD~1").strip()
    assert found.hunks == [(6, 6)]
    assert found.message.startswith("Fix race")


def test_a_bare_clone_does_as_well(clone: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(clone), str(tmp_path / "bare" / "own+trainer" / "repo"))
    bare = tmp_path / "bare" / "own+trainer" / "repo"
    assert repository_name(bare) == "own/trainer"
    assert [one.fix for one in ranked([bare], 5)] == [one.fix for one in candidates(clone, "own/trainer")]


def test_what_is_said_twice_counts_once() -> None:
    assert weight("deadlock, a dead-lock", {"dead ?-?lock": 6}) == 6


def test_new_and_removed_files_were_not_at_fault() -> None:
    new = "\ndiff --git a/a.py b/a.py\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"
    gone = "\ndiff --git a/a.py b/a.py\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert not list(changed_files(new + gone))


def test_the_scorer_finds_what_is_near(clone: Path, tmp_path: Path) -> None:
    case = Case(**vars(CASE) | {"commit": git(clone, "rev-parse", "HEAD~2").strip()})
    tool = [TOOL, "--no-cache"]
    found = score(case, tmp_path / "mirror", tmp_path / "work", tool)
    assert found is not None
    assert found.place
    assert found.both
    assert "DDP101" in found.near
    assert score(Case(**vars(case) | {"repo": "no/such"}), tmp_path / "mirror", tmp_path / "work", tool) is None


def test_related_places_count_and_far_ones_do_not() -> None:
    guard = {
        "code": "DDP101",
        "path": "train.py",
        "line": 40,
        "related": [{"line": 8, "end_line": 8, "message": "guard"}],
    }
    elsewhere = {"code": "DDP201", "path": "other.py", "line": 10}
    assert list(places(guard)) == [("train.py", 40, 40), ("train.py", 8, 8)]
    assert near(CASE, [guard, elsewhere, {"code": "DDP301", "path": "train.py", "line": 15}]) == ("DDP101",)


def test_the_table_counts_faults_and_look_alikes() -> None:
    kinds = [("bug", ("DDP101",)), ("bug", ("DDP201",)), ("bug", ()), ("clean", ()), ("clean", ("DDP101",))]
    scores = [Score("a", kind, "guarded-collective", "easy", codes, 1) for kind, codes in kinds]
    table = list(summary(scores))
    assert table[0].split() == ["faults", "place", "2/3", "place", "and", "class", "1/3"]
    assert table[-1].split() == ["look-alikes", "quiet", "1/2"]

"""The findings in public code: the records are complete, name real rules, and the page is theirs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ddplint.rulebook.registry import load_rules
from docs.found import FIXES, PAGE, Found, load, page
from docs.found_again import checked, verdict

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
TRAINER = """\
import torch.distributed as dist

dist.init_process_group()
if dist.get_rank() == 0:
    dist.barrier()
"""


def test_there_are_enough_of_them() -> None:
    records = load()
    assert len(records) >= 25
    assert len({one.rule for one in records}) >= 12
    assert len({one.repository for one in records}) >= 15
    assert len({(one.repository, *one.place) for one in records}) == len(records)


def test_every_record_is_complete_and_names_a_rule() -> None:
    known = {rule.code for rule in load_rules().rules}
    for one in load():
        assert one.rule in known
        assert re.fullmatch(r"[0-9a-f]{40}", one.commit), one
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", one.date), one
        assert one.severity in ("error", "warning"), one
        assert one.confidence in ("high", "medium"), one
        assert one.fix in FIXES, one
        assert one.line > 0, one
        assert all((one.path, one.says, one.happens, one.repair)), one
        assert not one.reduction or (FIXTURES / one.reduction / "train.py").is_file(), one


def test_one_commit_for_each_repository() -> None:
    records = load()
    assert len({(one.repository, one.commit) for one in records}) == len({one.repository for one in records})


def test_the_page_is_made_from_the_records() -> None:
    assert PAGE.read_text("utf-8") == page(load()), "python -m docs.found"


def _clone(folder: Path) -> tuple[Path, str]:
    clone = folder / "mirror" / "own+trainer"
    clone.mkdir(parents=True)
    (clone / "train.py").write_text(TRAINER, "utf-8")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -qm a"):
        subprocess.run(["git", *command.split()], cwd=clone, check=True)
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True)
    return clone.parent, said.stdout.strip()


def test_records_are_held_against_repositories(tmp_path: Path) -> None:
    mirror, commit = _clone(tmp_path)
    one = _record(commit=commit, line=5)
    wrong = _record(commit=commit, line=3)
    other = _record(commit=commit, line=5, says="something else")
    nowhere = _record(commit="0" * 40, line=5)
    away = _record(repository="own/elsewhere")
    said = dict(checked([one, wrong, other, nowhere, away], mirror))
    assert said[one] == "still reported"
    assert said[wrong] == "gone"
    assert said[other] == "reported otherwise"
    assert said[nowhere] == said[away] == "not fetched, or no report"


def test_what_is_suppressed_is_gone() -> None:
    place = {"path": "train.py", "line": 5}
    said = {"code": "DDP101", "severity": "error", "confidence": "high", "message": "m", "fix": None}
    one = _record(says="m", fix="none")
    assert verdict(one, [{**said, "place": place, "suppressed": None}]) == "still reported"
    assert verdict(one, [{**said, "place": place, "suppressed": {"how": "comment"}}]) == "gone"


@pytest.mark.parametrize("row", ["line = 1", 'oops = "x"'])
def test_a_record_that_lacks_or_invents_a_field_is_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "found.toml").write_text(f"[[found]]\n{row}\n", "utf-8")
    with pytest.raises((TypeError, ValueError)):
        load(tmp_path / "found.toml")


def _record(**given: object) -> Found:
    usual: dict[str, object] = {"repository": "own/trainer", "commit": "0" * 40, "date": "2026-01-01"}
    usual |= {"path": "train.py", "line": 5, "rule": "DDP101", "severity": "error", "confidence": "high", "fix": "safe"}
    usual |= {"says": "barrier reached by rank 0 only", "happens": "a", "repair": "b"}
    return Found(**{**usual, **given})  # type: ignore[arg-type]

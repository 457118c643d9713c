"""Every rule is shown by a fixture, and by one that hangs where its page speaks of that, or the README says why not."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

import pytest

from ddplint.rulebook.registry import load_rules
from fixtures.harness import record
from fixtures.harness.fixture import ROOT, Fixture, load_all

SPEAKS_OF_HANGS = re.compile(r"\b(?:hangs?|hung|hanging|waits?|waited|waiting|gives? up|gave up)\b", re.IGNORECASE)
ROW = re.compile(r"^\| (DDP\d{3}) \|(.*)\|(.*)\|(.*)\|$", re.MULTILINE)
FIXTURES = {fixture.name: fixture for fixture in load_all()}


@dataclass(frozen=True)
class Shown:
    """A row of the table: the fixtures that hang, what their traces are said to be, and the remark."""

    fixtures: tuple[str, ...]
    traces: str
    remark: str


def rows() -> dict[str, Shown]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = {}
    for code, names, traces, remark in ROW.findall(text):
        fixtures = tuple(name.strip() for name in names.split(",") if name.strip())
        found[code] = Shown(fixtures, traces.strip(), remark.strip())
    return found


def why(rule: object) -> str:
    """What the page says under "Why is this bad", on one line."""
    text = inspect.cleandoc(type(rule).__doc__ or "")
    return " ".join(text.partition("## Why is this bad")[2].partition("## Example")[0].split())


TABLE = rows()
HANGING = [pytest.param(code, shown, id=code) for code, shown in TABLE.items() if shown.fixtures]


def test_every_page_that_speaks_of_hangs_is_in_the_table() -> None:
    speaking = {rule.code for rule in load_rules().rules if SPEAKS_OF_HANGS.search(why(rule))}
    assert set(TABLE) == speaking


def test_every_rule_has_a_fixture_or_a_reason_why_not() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    without = {
        code for code, reason in re.findall(r"^\| (DDP\d{3}) \| ([^|]+) \|$", text, re.MULTILINE) if reason.strip()
    }
    shown = {code for fixture in FIXTURES.values() for code in fixture.codes}
    assert not without & shown
    assert without | shown == {rule.code for rule in load_rules().rules}


def test_what_is_not_shown_has_a_reason() -> None:
    assert [code for code, shown in TABLE.items() if not shown.fixtures and not shown.remark] == []


def test_every_fixture_that_hangs_is_in_the_table() -> None:
    shown = {name for row in TABLE.values() for name in row.fixtures}
    assert shown == {name for name, fixture in FIXTURES.items() if fixture.fault == "hang"}


@pytest.mark.parametrize(("code", "shown"), HANGING)
def test_the_fixtures_of_a_rule_are_its_own(code: str, shown: Shown) -> None:
    assert [name for name in shown.fixtures if code not in FIXTURES[name].codes] == []


@pytest.mark.parametrize(("code", "shown"), HANGING)
def test_the_last_run_saw_the_hang_and_the_difference_that_is_printed(code: str, shown: Shown) -> None:
    """A record counts for the trainer it was made with; one that counts must be there.

    What failed on NCCL is told in the README's section on it.
    """
    seen = [proof for name in shown.fixtures for proof in kept(FIXTURES[name]) if not told(proof)]
    assert seen, "no record counts: run fixtures/prove --matrix"
    assert {proof["verdict"] for proof in seen} == {"proved"}
    assert {proof["traces"] for proof in seen} <= {shown.traces, "hidden"}
    assert shown.traces in {proof["traces"] for proof in seen}


def told(proof: dict[str, object]) -> bool:
    """Whether ``proof`` failed on NCCL, and the README's section on NCCL says why."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What NCCL showed")[2]
    failed = proof["verdict"] == "failed" and str(proof["configuration"]).startswith("nccl")
    return failed and bool(re.search(rf"\b{proof['fixture']}\b", section))


def kept(fixture: Fixture) -> list[dict[str, object]]:
    """The records of ``fixture`` as it is now, of all configurations that ran it."""
    proofs = (proof for one in record.load().values() for proof in one["proofs"])
    of_it = (proof for proof in proofs if proof["fixture"] == fixture.name and not proof["skipped"])
    return [proof for proof in of_it if proof["digest"] == record.digest(fixture)]

"""What is too large for an exact walk is walked again, more coarsely, until a rung comes to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.config.reasons import Because
from ddplint.project.records import NOT_ENTERED, Limit

if TYPE_CHECKING:
    from ddplint.analysis.facts.walk import Walk
    from ddplint.engine.records import Outcome
    from ddplint.findings.model import Finding
    from ddplint.util.budget import Budget


Again = Callable[[frozenset[str]], Sequence["Walk"]]
Rules = Callable[[Sequence["Walk"]], Iterable["Finding"]]


def climb_down(walks: Sequence[Walk], outcome: Outcome, budget: Budget | None, again: Again, rules: Rules) -> None:
    """Add what coarser walks find of the entries that an exact walk did not bring to an end.

    Parameters: ``again`` walks some entries on the rung that is in force, ``rules`` say what they see in walks. The
    limits of an entry are taken back where a rung came to its end; what an exact walk found stays as it is.
    """
    from ddplint.analysis.domain import limits

    open_entries = frozenset(walk.entry for walk in walks if walk.unfinished)
    for rung in limits.COARSER if open_entries else ():
        if budget is not None:
            budget.begin_again(2 * len(limits.COARSER))
        with limits.at(rung):
            coarse = again(open_entries)
        if budget is not None:
            budget.begin_again(2 * len(limits.COARSER))
        _add(outcome, rules(coarse))
        ended = frozenset(walk.entry for walk in coarse if not walk.unfinished)
        outcome.limits = [one for one in outcome.limits if one.entry not in ended or NOT_ENTERED in one.text]
        outcome.limits += [
            Limit(one.file.path, one.entry, text) for one in coarse for text in one.limits if one.entry in ended
        ]
        open_entries -= ended
        if not open_entries:
            return


def _add(outcome: Outcome, found: Iterable[Finding]) -> None:
    """The findings at places where the rule has none yet: medium at most, and for a person to mend."""
    known = {_where(one) for one in outcome.findings}
    for one in found:
        if _where(one) not in known:
            known.add(_where(one))
            outcome.findings.append(_coarse(one))


def _where(finding: Finding) -> tuple[str, str, object]:
    return finding.code, finding.place.file.path, finding.place.node


def _coarse(finding: Finding) -> Finding:
    severity = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
    advised = f"it was seen in a coarse analysis; by hand: {finding.fix.title}" if finding.fix is not None else ""
    return replace(
        finding,
        severity=severity,
        certainty=finding.certainty.also(Because.COARSE),
        fix=None,
        no_fix=advised or finding.no_fix,
    )

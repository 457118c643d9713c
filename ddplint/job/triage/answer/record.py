"""A verdict for programs: one JSON object, described by ``triage.schema.json`` beside this module."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ddplint.job.triage.answer.advice import next_steps, restart
from ddplint.job.triage.answer.groups import group_records
from ddplint.job.triage.facts import Evidence, Fact, Stack
from ddplint.job.triage.hypotheses.base import place, quoted
from ddplint.job.triage.verdict import Verdict

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched


_MOST_FACTS = 256


def record(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> dict[str, Any]:
    """The answer as values that JSON has."""
    word, why = restart(verdict)
    return {
        "format": "ddplint-triage",
        "version": 1,
        "cause": verdict.cause,
        "state": verdict.state,
        "confidence": verdict.confidence if verdict.failed else None,
        "also": verdict.also,
        "culprits": list(verdict.culprits),
        "missing": list(verdict.missing),
        "waiting": list(verdict.waiting),
        "untold": list(verdict.untold),
        "first_failure": _first(verdict.first),
        "operation": verdict.operation,
        "timeout_ms": verdict.timeout,
        "sentences": verdict.sentences,
        "against": verdict.against,
        "hypotheses": [
            {
                "cause": one.cause,
                "score": one.score,
                "for": one.because,
                "against": one.against,
                "ranks": list(one.ranks),
            }
            for one in verdict.hypotheses
        ],
        "groups": group_records(verdict.groups),
        "attempts": [{"attempt": number, "cause": cause} for number, cause in verdict.attempts.items()],
        "attempt": verdict.attempt,
        "restart": {"advice": word, "why": why},
        "waits": _facts(evidence.waits),
        "deaths": _facts(evidence.deaths),
        "signs": _facts(evidence.signs),
        "lines": evidence.lines,
        "dumps": evidence.dumps,
        "fits": None if matched is None else matched.fits,
        "places": None if matched is None else [_place(one) for one in matched.candidates],
        "next": next_steps(evidence, verdict, matched),
        "problems": evidence.problems,
    }


def _facts(facts: list[Any]) -> list[dict[str, Any]]:
    return [vars(fact) for fact in facts[:_MOST_FACTS]]


def _place(one: Any) -> dict[str, Any]:
    return {
        "place": one.place,
        "code": one.finding.code,
        "message": one.finding.message,
        "score": one.score,
        "because": one.because,
        "against": one.against,
    }


def _first(fact: Fact | None) -> dict[str, Any] | None:
    if fact is None:
        return None
    return {
        "rank": getattr(fact, "rank", None),
        "text": quoted(fact),
        "where": getattr(fact, "where", ""),
        "line": place(fact) if isinstance(fact, Stack) else "",
    }


def render_json(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """:func:`record` as text."""
    return json.dumps(record(evidence, verdict, matched), indent=2, ensure_ascii=False) + "\n"

"""A verdict as text and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ddplint.job.triage.advice import next_steps
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.verdict import CLASSES, Verdict
from ddplint.report.summary import count

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched

__all__ = ["record", "render_json", "render_text"]

_SHOWN = 5


def render_text(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """For people: the class of cause, what it rests on, and the places that fit."""
    lines = [f"{verdict.cause}: {CLASSES[verdict.cause]}"]
    lines += [f"  {text}" for text in verdict.sentences]
    if verdict.also:
        lines.append("  possible as well: " + "; ".join(CLASSES[kind] for kind in verdict.also))
    if verdict.timeout:
        lines.append(f"  the timeout that applied: {verdict.timeout / 1000:g} s")
    lines += [f"  {text}" for text in _standing(evidence)]
    if matched is not None:
        lines += _places(matched)
    lines += ["", "next:", *(f"  - {text}" for text in next_steps(evidence, verdict, matched))]
    lines += [f"warning: {text}" for text in evidence.problems]
    return "\n".join(lines) + "\n"


def _standing(evidence: Evidence) -> list[str]:
    told: dict[str, None] = {}
    for stack in evidence.stacks[:64]:
        own = stack.own
        if own is not None:
            inside = f" in {own.function}" if own.function else ""
            who = "a rank" if stack.rank is None else f"rank {stack.rank}"
            told[f"{who} stood at {own.path}:{own.line}{inside}"] = None
    return list(told)[:16]


def _places(matched: Matched) -> list[str]:
    places = count(len(matched.candidates), "place")
    if not matched.candidates:
        return ["", "in the source: no place where ranks diverge was found", *matched.problems]
    if not matched.fits:
        why = "the logs point to several alike" if matched.candidates[0].because else "the logs point to none of them"
        lines = ["", f"in the source: {places} where ranks diverge; {why}:"]
    else:
        lines = ["", f"in the source: of {places} where ranks diverge, {matched.candidates[0].place} fits best:"]
    shown = [one for one in matched.candidates if one.because or not matched.fits]
    for candidate in shown[:_SHOWN]:
        lines.append(f"  {candidate.place} {candidate.finding.code} {candidate.finding.message}")
        lines += [f"      {text}" for text in candidate.because]
    return lines + [f"  not walked: {text}" for text in matched.problems]


def record(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> dict[str, Any]:
    """The same for programs, as values that JSON has."""
    places = None
    if matched is not None:
        places = [
            {
                "place": one.place,
                "code": one.finding.code,
                "message": one.finding.message,
                "score": one.score,
                "because": one.because,
            }
            for one in matched.candidates
        ]
    return {
        "format": "ddplint-triage",
        "version": 1,
        "cause": verdict.cause,
        "also": verdict.also,
        "missing": list(verdict.missing),
        "waiting": list(verdict.waiting),
        "untold": list(verdict.untold),
        "operation": verdict.operation,
        "timeout_ms": verdict.timeout,
        "sentences": verdict.sentences,
        "waits": [vars(wait) for wait in evidence.waits],
        "deaths": [vars(death) for death in evidence.deaths],
        "signs": [vars(sign) for sign in evidence.signs],
        "enqueued": {str(rank): list(pair) for rank, pair in sorted(evidence.enqueued.items())},
        "lines": evidence.lines,
        "dumps": evidence.dumps,
        "fits": None if matched is None else matched.fits,
        "places": places,
        "next": next_steps(evidence, verdict, matched),
        "problems": evidence.problems,
    }


def render_json(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """:func:`record` as text."""
    return json.dumps(record(evidence, verdict, matched), indent=2, ensure_ascii=False) + "\n"

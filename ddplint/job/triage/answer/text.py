"""A verdict for people, and in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.job.triage.answer.advice import next_steps, restart
from ddplint.job.triage.answer.groups import group_lines
from ddplint.job.triage.facts import Evidence, Stack
from ddplint.job.triage.hypotheses.base import quoted, shortened, spell_ranks
from ddplint.job.triage.verdict import CLASSES, Verdict
from ddplint.report.summary import count

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched


_SHOWN = 5
_RANKS_SHOWN = 16
SURE = {
    "high": "the log says so",
    "medium": "likely; see what else is possible, and what is not in the log",
    "low": "a guess: little in the log speaks for it",
}


_ONLY_THAT = "that it failed, the log says; why, it does not"
_PARTLY = "a guess: not all of the folder was read, and it may be of several jobs (see the warning)"


def how_sure(verdict: Verdict) -> str:
    """The grade of a cause in words."""
    if verdict.told:
        return _ONLY_THAT
    return _PARTLY if verdict.partly else SURE[verdict.confidence]


def render_text(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """For people: the cause, what it rests on, what is not known, and the places that fit."""
    lines = [verdict.headline]
    lines += [f"  {text}" for text in verdict.sentences]
    if not verdict.failed:
        lines += [
            *_alive(evidence, verdict),
            *_attempts(verdict),
            *_next(evidence, verdict, matched),
            *_warnings(evidence),
        ]
        return "\n".join(lines) + "\n"
    lines.append(f"  how sure: {how_sure(verdict)}")
    if verdict.culprits:
        lines.append(f"  to look at: {spell_ranks(verdict.culprits)}")
    lines += [f"  against it: {text}" for text in verdict.against]
    lines += [f"  possible as well: {text}" for text in possible(verdict)]
    if verdict.operation:
        lines.append(f"  the wait was in {verdict.operation}")
    if verdict.timeout:
        lines.append(f"  the timeout that applied: {verdict.timeout / 1000:g} s")
    lines += [
        f"  {text}" for text in (*group_lines(verdict.groups), *standing_lines(evidence), *unknown_lines(verdict))
    ]
    lines += _attempts(verdict)
    if matched is not None:
        lines += _places(matched)
    word, why = restart(verdict)
    lines += ["", f"start again: {word}; {why}", *_next(evidence, verdict, matched), *_warnings(evidence)]
    return "\n".join(lines) + "\n"


def render_oneline(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> str:
    """For alerts and schedulers: cause, ranks, place, first failure, start again or not."""
    parts = [verdict.headline.partition(":")[0]]
    if verdict.culprits:
        parts.append(spell_ranks(verdict.culprits))
    if matched is not None and matched.fits:
        parts.append(f"{matched.candidates[0].place} {matched.candidates[0].finding.code}")
    told = quoted(verdict.first) if verdict.first is not None else next(iter(verdict.sentences), "")
    if told and verdict.failed:
        parts.append(shortened(told, 300))
    if verdict.failed:
        parts.append(f"start again: {restart(verdict)[0]}")
    return " | ".join(parts) + "\n"


def possible(verdict: Verdict) -> list[str]:
    """The further causes that the evidence allows, each with its line, where it has one of its own."""
    found = []
    for cause in verdict.also:
        first = next((one.first for one in verdict.hypotheses if one.cause == cause), None)
        own = first != verdict.first and (isinstance(first, Stack) or bool(getattr(first, "text", "")))
        found.append(CLASSES[cause] + (f" ({shortened(quoted(first), 300)})" if first is not None and own else ""))
    return found


def unknown_lines(verdict: Verdict) -> list[str]:
    """What the logs do not tell."""
    if not verdict.untold:
        return []
    pronoun = "it" if len(verdict.untold) == 1 else "they"
    told = spell_ranks(verdict.untold[:256])
    return [f"not known: no line of {told} is here, which does not mean that {pronoun} did not come"]


def standing_lines(evidence: Evidence) -> list[str]:
    """Where ranks stood in the program."""
    told: dict[str, None] = {}
    for stack in evidence.stacks[:64]:
        own = stack.own
        if own is not None and not (stack.of_launcher or stack.of_parent):
            inside = f" in {own.function}" if own.function else ""
            who = "a rank" if stack.rank is None else f"rank {stack.rank}"
            told[f"{who} stood at {own.path}:{own.line}{inside}"] = None
    return list(told)[:16]


def _alive(evidence: Evidence, verdict: Verdict) -> list[str]:
    """The last that a job said in which nothing failed, where that is no end."""
    if verdict.last is None or verdict.state == "ended":
        return []
    where = verdict.last.where
    lines = [
        f"  the last sign of life: {shortened(verdict.last.text)}" + ("" if where.endswith(":0") else f" ({where})")
    ]
    said = evidence.last_said
    if 1 < len(said) <= _RANKS_SHOWN:
        lines += [f"  rank {rank} last said: {shortened(text)}" for rank, text in sorted(said.items())]
    return lines


def _next(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> list[str]:
    steps = next_steps(evidence, verdict, matched)
    return ["", "next:", *(f"  - {text}" for text in steps)] if steps else []


def _attempts(verdict: Verdict) -> list[str]:
    if not verdict.attempts:
        return []
    told = "; ".join(f"attempt {number}: {cause}" for number, cause in verdict.attempts.items())
    return [f"  the job was restarted; {told}; what is said above is of attempt {verdict.attempt}"]


def _warnings(evidence: Evidence) -> list[str]:
    passed = [f"{count(len(evidence.unreadable), 'file')} passed over that are no text"] if evidence.unreadable else []
    return [f"warning: {text}" for text in (*evidence.problems, *passed)]


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
        lines += [f"      ruled out: {candidate.against}"] if candidate.against else []
    return lines + [f"  not walked: {text}" for text in matched.problems]

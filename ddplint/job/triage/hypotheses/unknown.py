"""Something failed, and no other hypothesis says what: it is quoted."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Death, Sign, Stack
from ddplint.job.triage.hypotheses.base import Hypothesis, of_death, place, quoted, spell_ranks, whom
from ddplint.job.triage.hypotheses.scheduler import asked_to_stop, by_agent
from ddplint.job.triage.timelines.case import Case

_WEAK = (
    "echo",
    "shut-down",
    "returned",
    "aborted",
    "communicator",
    "stop",
    "aborted-step",
    "elsewhere",
    "last-error",
    "grave",
)
"""Lines that only follow from a failure: what is left where nothing else is."""


_OF_AGENT = (
    "the launcher was ending its processes: one of them had failed before, or the launcher was asked to stop itself; "
    "the line that says which is not here: "
)

_LED_IN = ("error", "not-understood", "not-possible", "grave", "echo")
"""Kinds of lines that say what a traceback behind them is about."""


_FAILED = re.compile(
    r"[Ff]ail|[Ee]rror|ERROR|[Cc]ould ?n.t|[Cc]ould not|[Cc]annot|[Uu]nable|not found|invalid|timed out"
)
"""Words of a warning about something that did not work; other warnings advise."""
_OPTIONAL = re.compile(r"\blib[\w-]+\.so|[Pp]lugin")
"""What NCCL does without where it is not there."""


def _beside(sign: Sign, stack: Stack) -> bool:
    """Whether a traceback begins on the line behind the sign's."""
    places = [where.rpartition(":") for where in (sign.where, stack.where)]
    return (
        places[0][0] == places[1][0]
        and all(place[2].isdigit() for place in places)
        and int(places[1][2]) - int(places[0][2]) == 1
    )


def unknown(case: Case) -> Hypothesis | None:
    """Lines that call themselves errors, errors about others, and ends with a code, where nothing else is known."""
    found = Hypothesis("unknown")
    errors = [sign for sign in case.of("error") if sign.level not in ("W", "I")]
    for sign in errors[:3]:
        found.support(26, f"{whom(sign)}: {quoted(sign)}" if sign.rank is not None else quoted(sign), sign)
    for stack in case.lost_stacks[:2]:
        at = place(stack)
        found.support(24, f"{whom(stack)} raised: {quoted(stack)}{f', at {at}' if at else ''}", stack)
        if stack.of_pipe:
            found.because.append(
                "the process at the other end of its pipe, on this machine, had ended: what ended that one is not here"
            )
    _by_ends(case, found)
    for sign in case.of("asked-to-stop")[:1]:
        found.support(30, asked_to_stop(sign), sign)
    weak = [sign for kind in _WEAK for sign in case.of(kind) if kind != "echo" or sign.level not in ("W", "I")]
    if weak and not any(quoted(weak[0])[:60] in text for text in found.because):
        if not found.score:
            agent = weak[0].kind == "stop" and by_agent(weak[0])
            found.support(18, f"{_OF_AGENT}{quoted(weak[0])}" if agent else quoted(weak[0]), weak[0])
        elif not errors and not case.lost_stacks and weak[0].kind == "echo":
            found.because.insert(0, f"said before: {quoted(weak[0])}")
    for stack in case.cut_stacks[:1]:
        at = place(stack)
        who_raised = "the launcher" if stack.of_launcher else whom(stack)
        text = f"{who_raised} raised an error that is not in the log: its traceback breaks off ({stack.where})"
        found.support(14, f"{text}{f', last seen at {at}' if at else ''}", stack)
        before = [s for s in case.signs if s.kind in _LED_IN and _beside(s, stack)]
        found.because += [f"said before: {quoted(before[-1])}"] if before else []
    for sign in case.of("cuda-above")[:1]:
        if not case.of("cuda", "gpu-memory", "assert"):
            text = f"{whom(sign)} met a CUDA error, and the line that names it is not in this log ({sign.where})"
            found.support(28, text, sign, [sign.rank])
    if not found.score:
        _by_asked_ends(case, found)
    if not found.score:
        for sign in _last_words(case)[-2:]:
            found.support(16, f"NCCL's last word: {quoted(sign)}", sign, [sign.rank])
    if not found.score:
        lines = [sign for sign in case.of("not-understood") if sign.level not in ("W", "I")]
        lines = [sign for sign in lines if not case.lives or case.closes(sign)]
        lines = lines or [
            sign for sign in case.of("not-possible") if sign.level not in ("W", "I") and case.closes(sign)
        ]
        for sign in lines[-2:]:
            found.support(12, f"not understood, and perhaps one: {quoted(sign)}", sign)
    said = next((sign for sign in case.of("nccl-warn")), None)
    if found.score and said is not None and found.first is not said:
        found.because.insert(0, f"NCCL said before: {quoted(said)}")
        found.first = said
    return found if found.score else None


def _by_ends(case: Case, found: Hypothesis) -> None:
    """Processes that ended with a code, those of one line together."""
    told: dict[tuple[str, int | None], list[Death]] = {}
    for death in case.deaths:
        if death.exitcode not in (None, 0, -15, 143):
            told.setdefault((death.where, death.exitcode), []).append(death)
    for (where, code), deaths in told.items():
        ranks = [death.rank for death in deaths if death.rank is not None]
        who_ended = spell_ranks(ranks) if len(ranks) > 1 else of_death(deaths[0])
        more = f"; {deaths[0].text}" if deaths[0].text.startswith("its log is ") else ""
        if len(found.because) < 5:
            found.support(20, f"{who_ended} ended with exit code {code} ({where}){more}", deaths[0])


def _by_asked_ends(case: Case, found: Hypothesis) -> None:
    """A launcher's report of a child that ended as one does that is asked to; who asked is not here."""
    done = any(life.ended for life in case.lives)
    asked = [sign for sign in case.of("child") if sign.number is not None and case.closes(sign) and not done]
    for sign in asked[:2]:
        found.support(
            16, f"a process ended as one does that was asked to, and nothing says by whom: {quoted(sign)}", sign
        )


def _last_words(case: Case) -> list[Sign]:
    """Warnings of NCCL about something that did not work, behind which the log has nothing more."""
    warned = [sign for sign in case.of("nccl-warn") if _FAILED.search(sign.text.partition("NCCL WARN ")[2])]
    warned = [sign for sign in warned if not _OPTIONAL.search(sign.text)] + case.of("nccl-gave-up")
    return [sign for sign in warned if case.closes(sign)]

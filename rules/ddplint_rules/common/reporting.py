"""What the rules about divergences share: which code a divergence belongs to, and how it is reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from ddplint.rule import (
    TRAINS,
    Because,
    Divergence,
    DivergenceKind,
    Effect,
    Event,
    Finding,
    Frame,
    GuardKind,
    Note,
    Place,
    Reason,
    Rule,
    Severity,
    Side,
    Walk,
)
from ddplint.rule.code import SourceFile, function_lines, last_part
from ddplint.rule.facts import call_alone
from ddplint.rule.knowledge import gives_ranks_jobs
from ddplint.rule.notes import related
from ddplint_rules.common.picture import operation as operation
from ddplint_rules.common.picture import picture_of
from ddplint_rules.common.picture import verb as verb
from ddplint_rules.common.picture import who as who

FORWARD = TRAINS | {Effect.CONSTRUCT}
SAVES = frozenset({Effect.SAVE_ALL_RANKS})
_ASKS = frozenset({GuardKind.IF, GuardKind.TERNARY, GuardKind.AND, GuardKind.OR, GuardKind.MATCH})
"""Kinds of guards that ask once how much there is; the others go on for as long as there is something."""


def of(rule: Rule, walks: Iterable[Walk]) -> Iterator[Divergence]:
    """The divergences that are cases of a rule."""
    return (one for walk in walks for one in walk.divergences if code_of(one) == rule.code)


def code_of(divergence: Divergence) -> str:
    """The code of the rule that a divergence is a case of; ``""`` for none.

    A loop whose number of iterations comes from files (epochs left after the last checkpoint) is none: what is there is
    the same everywhere on shared storage. Nor is a program that rank 0 ends before it would have started the others.
    A number of iterations that depends on who failed before is the failure's.
    """
    reason = divergence.guard.reason
    if reason is Reason.IDENTITY and (_is_not_begun(divergence) or _is_in_their_handler(divergence)):
        return ""
    if divergence.kind is DivergenceKind.ROUNDS and reason is Reason.FILESYSTEM:
        return ""
    asked_later = reason is Reason.EXCEPTION and divergence.guard.kind is not GuardKind.EXCEPT
    if (divergence.kind is DivergenceKind.ROUNDS and not asked_later) or (
        reason is Reason.LENGTH and divergence.guard.kind not in _ASKS
    ):
        return "DDP106"
    if reason is Reason.EXCEPTION or is_failed_check(divergence):
        return "DDP105"
    if reason is not Reason.IDENTITY:
        return "DDP104"
    event = divergence.event
    if divergence.kind is DivergenceKind.MISMATCH:
        return "DDP103"
    if event.api is not None and "group_factory" in event.api.also and "init" not in event.api.roles:
        return "DDP108"
    if event.effect in FORWARD:
        return "DDP102"
    if event.effect in SAVES or _saves(event):
        return "DDP202"
    return "DDP101"


def _is_not_begun(divergence: Divergence) -> bool:
    first, second = divergence.sides
    api = first.event.api if first.event is not None else None
    starts = api is not None and "starts_ranks" in api.also
    return starts and divergence.kind is DivergenceKind.EXIT and second.event is None and 0 in second.ranks


def _is_in_their_handler(divergence: Divergence) -> bool:
    """Whether it is in a handler of what nobody raises, to which others do not come because they had left before.

    Who comes to such a handler does so because of what failed there, which is said of the handler (DDP105).
    """
    if divergence.kind is not DivergenceKind.EXIT or divergence.leaving is None or _failing(divergence):
        return False
    guard = divergence.guard
    handlers = (one for one in divergence.event.guards if one.kind is GuardKind.EXCEPT)
    return any(one.file is not guard.file or one.node not in guard.file.ancestors(guard.node) for one in handlers)


def _failing(divergence: Divergence) -> cst.Assert | cst.Raise | None:
    """The statement that fails where the other side leaves, if it leaves so."""
    node = divergence.leaving.node if divergence.leaving is not None else None
    return node if isinstance(node, (cst.Assert, cst.Raise)) else None


def is_failed_check(divergence: Divergence) -> bool:
    """Whether the other side leaves by a check that fails there, and is caught: an error of one rank, not its way.

    An exception that a handler on the way catches by its name is a way.
    """
    leaving, failing = divergence.leaving, _failing(divergence)
    if leaving is None or failing is None:
        return False
    if isinstance(failing, cst.Raise):
        for step in leaving.file.ancestors(failing):
            if step is divergence.guard.statement or isinstance(step, (cst.FunctionDef, cst.Lambda)):
                return False
            if isinstance(step, cst.If):
                break
    return not _is_caught_by_name(failing, divergence)


def _is_caught_by_name(raising: cst.Assert | cst.Raise, divergence: Divergence) -> bool:
    made = raising.exc if isinstance(raising, cst.Raise) else cst.Name("AssertionError")
    kind = made.func if isinstance(made, cst.Call) else made
    name = last_part(kind)
    handler = re.compile(rf"^[ \t]*except\b[^\n:]*\b{re.escape(name)}\b", re.MULTILINE)
    return bool(name) and any(handler.search(frame.file.text) for frame in divergence.event.stack)


def _saves(event: Event) -> bool:
    return event.api is not None and ("save_all_ranks" in event.api.roles or "consolidate" in event.name)


def beside(divergence: Divergence, walks: Iterable[Walk]) -> list[Event]:
    """What the ranks of the first side do behind the same guard, the operation itself among it, in program order."""
    guard, ranks = divergence.guard.node, frozenset(divergence.ranks)
    events = (event for walk in walks for event in walk.events if event.ranks <= ranks)
    return [event for event in events if any(step.node is guard for step in event.guards)]


def what(side: Side) -> str:
    """What a side does next."""
    return side.event.label if side.event is not None else "nothing more: the program ends"


def reported(
    rule: Rule, divergence: Divergence, message: str, because: Because | tuple[Because, ...] | None = None, **more: Any
) -> Finding:
    """A finding with the divergence's guard, provenance, call chain and the two columns of ranks.

    It is a warning at most where ranks do different jobs (pipelines, tensor parallelism): the walk knows few of the
    groups there. Of 26 such errors in 240 repositories that were new to it, at least 23 were false. So it is where the
    walk came to its limit (what one side did was followed further than what the other did), and behind a condition
    that perhaps is the same on all ranks. Where both meet it is not shown: of twelve such findings in two repositories,
    ten were false, all of stages of a pipeline.
    """
    because = _because(divergence) if because is None else because if isinstance(because, tuple) else (because,)
    if more.get("severity", rule.severity) is Severity.ERROR and (doubts := _doubts(divergence)):
        more["severity"] = Severity.WARNING
        because += doubts
    drawn = picture_of(divergence)
    more |= {"actions": drawn.actions, "outcome": drawn.outcome, "ends": drawn.ends}
    if _is_decision(divergence):
        notes = tuple(note for note in _causes(divergence) if note.role != "guard")
        return rule.finding(Place.of(divergence.guard), message, notes=notes, because=because, **more)
    notes = (*_causes(divergence), *_chain(divergence))
    hidden = _hidden_at(divergence)
    if hidden is not None:
        notes = tuple(note for note in notes if note.place != hidden)
        return rule.finding(hidden, message, notes=notes, because=because, **more)
    return rule.finding(Place.of(divergence.anchor), message, notes=notes, because=because, **more)


def _doubts(divergence: Divergence) -> tuple[Because, ...]:
    """Why a difference that would be an error is none."""
    among = _is_among_groups(divergence)
    if divergence.doubtful:
        return (Because.JOBS_CUT if among else Because.LIMIT_REACHED,)
    return (Because.DIFFERENT_JOBS,) if among else ()


def _is_among_groups(divergence: Divergence) -> bool:
    """Whether a file on the way to where ranks part, or to what they do then, speaks of ranks with different jobs."""
    events = [side.event for side in divergence.sides if side.event is not None]
    files = {frame.file for event in events for frame in event.stack} | {divergence.guard.file}
    return any(gives_ranks_jobs(file) for file in files)


def _is_decision(divergence: Divergence) -> bool:
    """Whether the condition itself is the defect: each rank decides for itself whether to leave early."""
    return divergence.kind is DivergenceKind.EXIT and divergence.guard.reason not in (Reason.IDENTITY, Reason.EXCEPTION)


def _hidden_at(divergence: Divergence) -> Place | None:
    """Where a function hides from its callers that it failed on one rank, where a caller is led astray by that."""
    guard, anchor = divergence.guard, divergence.anchor
    if guard.reason is not Reason.EXCEPTION or guard.kind is GuardKind.EXCEPT:
        return None
    handlers = [origin for origin in guard.origins if isinstance(origin.node, cst.ExceptHandler)]
    if len(handlers) != 1 or _is_within_function(handlers[0].file, handlers[0].node, anchor):
        return None
    return Place(handlers[0].file, handlers[0].node)


def _is_within_function(file: SourceFile, node: cst.CSTNode, frame: Frame) -> bool:
    """Whether a node is in the very function that a step of a call chain is in."""
    if file is not frame.file:
        return False
    line, other = file.range_of(node).start_line, file.range_of(frame.node).start_line
    spans = [span for found in function_lines(file.text).values() for span in found]
    inside = [span for span in spans if span[0] <= line <= span[1]]
    return inside == [span for span in spans if span[0] <= other <= span[1]]


def _causes(divergence: Divergence) -> tuple[Note, ...]:
    """Where the difference comes from, the guard last."""
    guard = divergence.guard
    notes: list[Note] = []
    seen: set[int] = set()
    for origin in guard.origins:
        if id(origin.node) not in seen and origin.node is not guard.node:
            seen.add(id(origin.node))
            notes.append(Note("origin", Place.of(origin), origin.text or "differs by rank"))
    notes.append(Note("guard", Place.of(guard), guard_text(divergence)))
    if divergence.leaving is not None and divergence.leaving.node is not guard.statement:
        notes.append(related(divergence.leaving, "they leave here"))
    for frame in divergence.others[:8]:
        notes.append(related(frame, "only they reach this too"))
    return tuple(notes)


def _chain(divergence: Divergence) -> tuple[Note, ...]:
    """The calls from the finding's place to the operation."""
    notes: list[Note] = []
    below = False
    for frame in divergence.event.stack:
        if below:
            notes.append(Note("call", Place.of(frame), frame.function))
        below = below or frame.node is divergence.anchor.node
    return tuple(notes)


def guard_text(divergence: Divergence) -> str:
    """What happens at the guard, in a few words."""
    first, second = divergence.sides
    reason = divergence.guard.reason
    if divergence.kind is DivergenceKind.ROUNDS:
        return "the number of iterations differs between ranks"
    if reason is Reason.EXCEPTION:
        here = divergence.guard.kind is GuardKind.EXCEPT
        return "an exception caught here takes one rank another way" if here else "here it matters whether it failed"
    if reason is not Reason.IDENTITY:
        return "each rank decides for itself"
    if divergence.kind is DivergenceKind.EXIT:
        return f"{who(second.ranks)} leave{'s' if len(second.ranks) == 1 else ''} here"
    if divergence.kind is DivergenceKind.MISMATCH:
        return f"{who(first.ranks)} and {who(second.ranks)} go different ways"
    return f"only {who(first.ranks)} enter{'s' if len(first.ranks) == 1 else ''}"


def may_hand_out(event: Event) -> bool:
    """Whether a call communicates only if the model has buffers, and that is not known: an evaluation."""
    sure = event.details.get("buffers") is not None or event.details.get("engine")
    return event.effect == Effect.FORWARD and bool(event.details.get("no_grad")) and not sure


def _may_meet_later(divergence: Divergence) -> bool:
    """Whether one side only evaluates, which may be no communication, before it does something that others do too."""
    if divergence.leaving is not None and divergence.guard.reason is Reason.IDENTITY:
        return False  # who leaves for being who he is has left what the others do
    if divergence.leaving is not None and isinstance(divergence.leaving.node, cst.Break) and _averages(divergence):
        return False  # one round less, whether or not an evaluation behind the loop communicates
    first, second = (side.event is not None and may_hand_out(side.event) for side in divergence.sides)
    if divergence.kind is DivergenceKind.MISSING:
        return second and divergence.guard.reason is not Reason.IDENTITY
    return second or (first and divergence.kind is DivergenceKind.MISMATCH)


def _averages(divergence: Divergence) -> bool:
    """Whether who does not leave comes to a backward pass that all ranks take part in."""
    return divergence.event.effect == Effect.BACKWARD


def _because(divergence: Divergence) -> tuple[Because, ...]:
    """Why it is as sure as it is: high where the rank's identity decides and the operation is explicit, else medium.

    Low where the identity only may decide, and where one side only evaluates before it does what may well be the same.
    """
    event = divergence.event
    doubts = {
        Because.PERHAPS_RANK: bool(divergence.guard.guess),
        Because.CHECK_FAILS: is_failed_check(divergence),
        Because.MEETS_LATER: _may_meet_later(divergence),
        Because.WRAPPED_MODEL: event.effect == Effect.FORWARD,
        Because.FAILURE: divergence.guard.reason is Reason.EXCEPTION,
        Because.OWN_VALUE: divergence.guard.reason not in (Reason.IDENTITY, Reason.EXCEPTION),
    }
    return tuple(reason for reason, holds in doubts.items() if holds) or (Because.RANK_DECIDES,)


_SEVERAL = 3
"""Places behind one call of a helper that are one mistake."""


def one_for_each_call(found: Iterable[tuple[Finding, Event | None]], walks: Sequence[Walk]) -> Iterator[Finding]:
    """Findings, those behind one call as one: what every rank should not do is make that call.

    Parameters: ``found``, each with what happens there, ``None`` where it stands alone, as one with a fix does.
    """
    known: list[tuple[Finding, Frame | None]] = []
    for finding, event in found:
        alone = event is None or finding.fix is not None or finding.mistake
        known.append((finding, None if event is None or alone else call_alone(walks, event)))
    calls = Counter(call.node for _, call in known if call is not None)
    for finding, call in known:
        if call is not None and calls[call.node] >= _SEVERAL:
            line = call.file.range_of(call.node).start_line
            finding = replace(finding, mistake=f"{call.file.real_path} {line}")
        yield finding

"""The fix of guarded operations: whatever communicates behind one guard is repaired together.

Collectives leave the guard, forward passes go to the module inside the wrapper. A rewrite that left one of them behind
would only move the hang.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import Answer, Divergence, Effect, Event, Fix, Frame, Safety, Walk
from ddplint.rule.code import Site, asked_for, descend, dotted, words_in
from ddplint.rule.facts import uniformity
from ddplint.rule.fixes import MOVE, Against, CannotBuild, Demand, Edit, against, demand, reason
from ddplint.rule.knowledge import rank_words
from ddplint_rules.common.reporting import beside, who
from ddplint_rules.fixes.moving import callee, edits_out, has_outside_effect
from ddplint_rules.fixes.unwrap import Unwrapping

_MOVABLE = frozenset({Effect.COLLECTIVE, Effect.SAVE_ALL_RANKS})


def repaired(divergence: Divergence, walks: Sequence[Walk]) -> Answer:
    """The fix of a divergence in which some ranks enter an operation that the others never meet.

    Parameters: ``walks``, all walks of the file, to see what else happens behind the guard and in called helpers.
    """
    advice = _hopeless(divergence, walks)
    if advice:
        return Answer(no_fix=advice)
    event = divergence.event
    inside = [one for one in beside(divergence, walks) if _communicates(one)]
    steps = _steps(divergence, [event, *inside])
    moving = [(frame, below) for frame, below in steps if any(one.effect in _MOVABLE for one in below)]
    calls = [one for frame, below in steps if (frame, below) not in moving for one in below]
    work = Unwrapping(walks)
    try:
        _check(moving, walks)
        _check_names(moving)
        demands = _demands(divergence, walks) if moving else ()
        edits: list[Edit] = list(edits_out(divergence, [frame for frame, _ in moving])) if moving else []
        for one in calls:
            work.add(one)
    except CannotBuild as reason:
        return Answer(no_fix=str(reason))
    computed = [one for _, below in moving for one in below if one.effect not in _MOVABLE]
    quiet = not computed and all(one.details.get("no_grad") for one in calls)
    quiet = quiet and all(_has_one_name(one) for _, below in moving for one in below)
    safety = Safety.SAFE if quiet else Safety.UNSAFE
    return Answer(Fix(_title(moving, calls), safety, (*edits, *work.edits), demands))


def _demands(divergence: Divergence, walks: Sequence[Walk]) -> tuple[Demand, ...]:
    """All ranks reach the guard in every context, or what leaves it hangs in some."""
    site = Site(divergence.guard.file, divergence.guard.statement)
    wanted = demand(site.file, site.statement, MOVE)
    broken = against(site, walks[0].presence if walks else None) & MOVE
    if wanted is None or broken:
        raise CannotBuild(f"let every rank come to it: {reason(broken or int(Against.UNSEEN))}")
    return (wanted,)


def _communicates(event: Event) -> bool:
    if event.effect == Effect.COLLECTIVE:
        return event.api is None or not event.api.when
    if event.effect == Effect.BACKWARD:
        return event.details.get("wrapped") is not None
    if event.effect == Effect.FORWARD:
        return bool(event.details.get("engine")) or not _is_silent(event)
    return event.effect in (Effect.CONSTRUCT, Effect.STEP, Effect.SAVE_ALL_RANKS)


def _is_silent(event: Event) -> bool:
    return bool(event.details.get("no_grad")) and event.details.get("buffers") is False


def _hopeless(divergence: Divergence, walks: Sequence[Walk]) -> str:
    """What to do where no rewrite is known, in one sentence; ``""`` where one may be."""
    event, guard, anchor = divergence.event, divergence.guard, divergence.anchor
    if anchor.file is not guard.file or anchor.function != guard.function:
        return f"move it out of `{anchor.function}`, which only {who(divergence.ranks)} may enter"
    if event.effect == Effect.CONSTRUCT:
        return "wrap the model on every rank, outside the guard"
    if any(one.effect == Effect.BACKWARD and one.details.get("wrapped") for one in [event, *beside(divergence, walks)]):
        return (
            "a backward pass belongs to it: run it on every rank, or on a copy of the plain module "
            "(copy.deepcopy(model.module))"
        )
    if _brings_what_it_tests(divergence):
        return f"have every rank bring something first: what is tested is there on {who(divergence.ranks)} only"
    if any(one.details.get("passes_inside") for one in [event, *beside(divergence, walks)]):
        return f"call `{callee(anchor)}` on every rank with one input: each makes as many passes as its texts take"
    if event.effect not in _MOVABLE and (event.effect != Effect.FORWARD or event.details.get("engine")):
        return f"let every rank come to `{callee(anchor)}`"
    return ""


def _brings_what_it_tests(divergence: Divergence) -> bool:
    """Whether the others would bring nothing: the guard asks for the very value that is handed to the operation."""
    site = Site(divergence.guard.file, divergence.guard.statement)
    tested = set(asked_for(divergence.guard.node, site.values_of))
    given = [node for node in (divergence.anchor.node, divergence.event.call) if node is not None]
    return any(dotted(part) in tested for node in given for part in descend(node)) if tested else False


def _steps(divergence: Divergence, events: Sequence[Event]) -> list[tuple[Frame, list[Event]]]:
    """The calls in the function of the guard that lead to the events, in program order, with what is below each."""
    found: dict[int, tuple[Frame, list[Event]]] = {}
    for event in events:
        for frame in _frames(divergence, event):
            below = found.setdefault(id(frame.node), (frame, []))[1]
            if not any(other.node is event.node for other in below):
                below.append(event)
    return sorted(found.values(), key=lambda step: min(event.order for event in step[1]))


def _frames(divergence: Divergence, event: Event) -> Iterator[Frame]:
    guard = divergence.guard
    if any(frame.node is divergence.anchor.node for frame in event.stack):
        yield divergence.anchor
    elif 0 <= guard.depth - 1 < len(event.stack) and event.stack[guard.depth - 1].function == guard.function:
        yield event.stack[guard.depth - 1]


def _check(moving: Sequence[tuple[Frame, list[Event]]], walks: Sequence[Walk]) -> None:
    """Raise :class:`CannotBuild` where a helper that would run on every rank does what only some may do."""
    for frame, below in moving:
        if has_outside_effect(frame, below, walks):
            inner = next(one for one in below if one.effect in _MOVABLE)
            raise CannotBuild(
                f"`{callee(frame)}` does more than communicate: guard the rest inside it and let every rank reach "
                f"`{inner.label}`"
            )


def _check_names(moving: Sequence[tuple[Frame, list[Event]]]) -> None:
    """Raise :class:`CannotBuild` where each rank would save under a name of its own: one checkpoint becomes several."""
    for event in (one for _, below in moving for one in below):
        if _says_who(event) or not _has_one_name(event, disk=True):
            raise CannotBuild(f"let all ranks agree on the name first, then let every rank call `{event.label}`")


def _has_one_name(event: Event, *, disk: bool = False) -> bool:
    """Whether what is saved surely has the same name on all ranks; with ``disk``, if they find the same files."""
    row = event.api
    if row is None or event.effect != Effect.SAVE_ALL_RANKS or not row.path.name:
        return True
    named = row.path.of(event.args, event.kwargs)
    return named is None or uniformity.same_for_all(named, disk=disk)


def _says_who(event: Event) -> bool:
    """Whether a save is given a name with the rank in it, of which the walk sees a number only behind the guard."""
    given = event.call.args if event.effect == Effect.SAVE_ALL_RANKS and event.call is not None else ()
    return any(rank_words.WHO_A_PROCESS_IS.search(word.lower()) for one in given for word in words_in(one))


def _title(moving: Sequence[tuple[Frame, list[Event]]], calls: Sequence[Event]) -> str:
    parts: list[str] = []
    if moving:
        names = [f"`{callee(frame)}`" for frame, _ in moving]
        parts.append(
            "let every rank call " + (names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}")
        )
    if calls:
        parts.append("call the module inside the wrapper, which does not communicate")
    text = ", and ".join(parts)
    return text[:1].upper() + text[1:]

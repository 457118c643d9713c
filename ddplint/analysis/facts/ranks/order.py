"""In which order ranks do things: meetings, and what lies before and behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.analysis.domain.effects import MEETS, Effect, Effects
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.source.ancestry import Tree, descend, tree_of


def always_before(first: Event, then: Event) -> bool:
    """Whether ``first`` ran whenever ``then`` runs."""
    if first.order >= then.order or not first.agrees_with(then):
        return False  # of two classes that an option chooses between, only one is made
    return _unconditional(first, then) or _implied(first, then)


def _implied(first: Event, then: Event) -> bool:
    """Whether what must be true for ``then`` to run lets every rank come to ``first`` too."""
    assumed = bool(first.path) and first.path.items() <= then.path.items()
    return assumed and not first.guards and all(loop in then.loops for loop in first.loops)


def always_after(then: Event, first: Event) -> bool:
    """Whether ``then`` still comes whenever ``first`` has run (exceptions apart)."""
    if first.order > then.order or not _unconditional(then, first):
        return False
    mine, other = _parting(then.stack, first.stack)
    return not _leaves(mine[0], other[0].node) and not any(_leaves(frame) for frame in mine[1:])


def _leaves(frame: Frame, since: cst.CSTNode | None = None) -> bool:
    """Whether the function may be left, or the iteration of a loop ended, before this step and after ``since``."""
    tree = tree_of(frame.file.module)
    function = tree.function(frame.node) or tree.module
    start = tree.order(since) if since is not None else -1
    return any(
        isinstance(node, (cst.Return, cst.Break, cst.Continue)) and start < tree.order(node) < tree.order(frame.node)
        for node in descend(function, into_functions=False)
    )


def _unconditional(event: Event, beside: Event) -> bool:
    """Whether nothing decides about ``event`` that does not decide about ``beside`` too."""
    mine, other = _parting(event.stack, beside.stack)
    if not mine or not other or mine[0].file is not other[0].file:
        return False
    tree = tree_of(mine[0].file.module)
    if mine[0].node not in tree or other[0].node not in tree:
        return False
    block = _block(tree, mine[0].node)
    if block is None or not tree.contains(block, other[0].node):
        return False
    return all(_at_top(frame) for frame in mine[1:])


def _parting(one: Sequence[Frame], other: Sequence[Frame]) -> tuple[Sequence[Frame], Sequence[Frame]]:
    """What is left of two call stacks below the last call they share."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared].node is other[shared].node:
        shared += 1
    return one[shared:], other[shared:]


def _block(tree: Tree, node: cst.CSTNode) -> cst.CSTNode | None:
    """The innermost block that holds a node, out of ``with`` and ``try``; ``None`` where an expression decides too."""
    below = node
    for step in tree.ancestors(node):
        if isinstance(step, (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)):
            return None
        if isinstance(step, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite)):
            holder = tree.parent(step) if not isinstance(step, cst.Module) else None
            plain = isinstance(holder, cst.With) or (isinstance(holder, (cst.Try, cst.TryStar)) and holder.body is step)
            if not plain:
                return step
        below = step
    return below


def _at_top(frame: Frame) -> bool:
    """Whether a step of a call stack stands at the top level of its function."""
    tree = tree_of(frame.file.module)
    if frame.node not in tree:
        return False
    block = _block(tree, frame.node)
    holder = tree.parent(block) if block is not None else None
    return isinstance(holder, cst.FunctionDef)


_MEETS = MEETS | {Effect.INIT}
"""Effects after which no rank is left behind."""
_UNCLEAR = frozenset({Effect.OPAQUE})


def comes_before(walk: Walk, first: Event, one: int, second: Event, other: int) -> bool:
    """Whether rank ``one`` has surely done ``first`` by the time rank ``other`` does ``second``.

    The ranks meet in their n-th meeting each, so ``other`` must have come through more meetings than ``one`` had. A
    call in between that could not be followed may be such a meeting; one that ``one`` alone would go to, if something
    held that need not hold, may be none. Ranks that parted long before come to one place each for themselves.
    """
    if _may_meet(walk, first, one, second, other):
        return True
    before = _meetings(walk, first, one, (first, second))
    after = _meetings(walk, second, other, (first, second))
    perhaps = sum(1 for event in _alone(before, after, other) if not event.path.items() <= first.path.items())
    return len(after) > len(before) - perhaps


def _alone(before: Sequence[Event], after: Sequence[Event], other: int) -> Iterator[Event]:
    """The meetings to which rank ``other`` did not come, not even in a walk of the same code of its own."""
    shared = set(map(id, before))
    own = Counter(id(event.node) for event in after if id(event) not in shared)
    for event in before:
        if other not in event.ranks:
            if own[id(event.node)]:
                own[id(event.node)] -= 1
            else:
                yield event


def _may_meet(walk: Walk, first: Event, one: int, second: Event, other: int) -> bool:
    """Whether a call that could not be followed may bring both together: what one rank calls alone does not."""
    unclear = {rank for event in _between(walk, _UNCLEAR, first, second) for rank in event.ranks}
    if not unclear & {one, other}:
        return False
    known = {rank for event in _between(walk, _MEETS, first, second) for rank in event.ranks}
    return {one, other} <= unclear | known


def _between(walk: Walk, effects: Effects, first: Event, second: Event) -> Iterator[Event]:
    return (event for event in walk.doing(*effects) if first.order < event.order < second.order)


def _meetings(walk: Walk, until: Event, rank: int, both: tuple[Event, Event]) -> list[Event]:
    return [
        event
        for event in walk.doing(*_MEETS)
        if event.order < until.order
        and rank in event.ranks
        and all(event.agrees_with(place) for place in both)
        and _communicates(event)
    ]


def _communicates(event: Event) -> bool:
    if event.effect in (Effect.FORWARD, Effect.BACKWARD):
        return event.details.get("wrapped") is not None
    return True


def starts_later(walk: Walk, second: Event) -> bool:
    """Whether a framework may have started no other process yet: its trainer runs later, and nobody has met so far."""
    starts = [event.order for event in walk.events if event.api is not None and "starts_ranks" in event.api.also]
    met = (event.order for event in walk.doing(Effect.INIT, Effect.COLLECTIVE, Effect.CONSTRUCT))
    return bool(starts) and second.order < min(starts) and not any(order < second.order for order in met)

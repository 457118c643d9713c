"""Places in groups of unknown members: ``if dist.get_rank(group) == 0``, where somebody else gives the group.

Who is in the group is not known, and so a walk takes it that all ranks see the same place. But a group is only a group
if its members have different places, and one that may be any has to be right for the group of all ranks as well. Each
such group is taken for that in turn; what is known of other groups then tells nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Guard, Origin
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.term import Junction, Membership, Not, Operation, Symbol
from ddplint.analysis.domain.values import EVERYONE, GLOBAL_RANKS, WORLD_SIZE, Const
from ddplint.analysis.trace.nodes import Choice, Guarded, Local, Loop, Node, Nodes, Op, Opaque, Split, every, parts
from ddplint.analysis.trace.simplify import rebuilt

_SIZE = "size"
_FOLDED: dict[object, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "<": operator.lt,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
_DIVISIONS = (operator.floordiv, operator.mod)


@dataclass(slots=True)
class GroupVariant:
    """A trace in which a group is that of all ranks.

    ``asking``: the guards (by the identity of their conditions) that ask for the place; ``alone``: those that only one
    member of the group comes to.
    """

    trace: Nodes
    asking: frozenset[int]
    alone: frozenset[int]


def taken_for_all(trace: Nodes) -> Iterator[GroupVariant]:
    """The trace with each group taken for all ranks that communicates and of which places are asked."""
    asked = {what for node in every(trace) if isinstance(node, Choice) for what in _places(node.symbol)}
    met = dict.fromkeys(node.place for node in every(trace) if isinstance(node, Op) and node.place in asked)
    for place in list(met)[: limits.UNKNOWN_GROUPS]:
        if place is not None:
            made = _Maker(place)
            nodes = made.nodes(trace, EVERYONE)
            if made.asking:
                yield GroupVariant(nodes, frozenset(made.asking), frozenset(made.alone))


def _places(what: Symbol) -> Iterator[Symbol]:
    if isinstance(what, Membership):
        yield what
    else:
        for part in what.symbols:
            yield from _places(part)


class _Maker:
    """Makes the trace in which one group is that of all ranks."""

    def __init__(self, place: Symbol) -> None:
        self.place = place
        self.size = symbol(_SIZE, *place.parts)
        self.asking: set[int] = set()
        self.alone: set[int] = set()

    def nodes(self, nodes: Nodes, mask: int) -> Nodes:
        """A list as the members with a bit in ``mask`` come to it."""
        return [self._node(node, mask) for node in nodes]

    def _node(self, node: Node, mask: int) -> Node:
        if isinstance(node, Op):
            if node.place is self.place:
                return replace(node, group="", members=0)
            return replace(node, members=None) if node.members else node
        if isinstance(node, Choice) and self.place in _places(node.symbol):
            truths = [self._truth(node.symbol, rank) for rank in GLOBAL_RANKS]
            if None not in truths and len(set(truths)) > 1:
                return self._parted(node, truths, mask)
        made = rebuilt(node, [self.nodes(part, mask) for part in parts(node)])
        if mask != EVERYONE and isinstance(made, (Guarded, Local, Loop, Opaque)):
            if mask & (mask - 1) == 0 and not isinstance(made, Opaque) and made.guard is not None:
                self.alone.add(id(made.guard.node))
            return replace(made, mask=made.mask & mask)
        return made

    def _parted(self, node: Choice, truths: list[bool | Symbol | None], mask: int) -> Split:
        origin = Origin(node.guard.file, node.guard.node, "the rank in the group")
        guard: Guard = replace(node.guard, origins=(*node.guard.origins, origin))
        self.asking.add(id(guard.node))
        arms: list[tuple[int, Nodes]] = []
        for truth in dict.fromkeys(truths):
            own = sum(1 << rank for rank, seen in enumerate(truths) if seen is truth)
            sides = [self.nodes(part, own & mask) for part in (node.then, node.other)]
            if isinstance(truth, Symbol):
                arms.append((own, [replace(node, symbol=truth, then=sides[0], other=sides[1])]))
            else:
                arms.append((own, sides[0] if truth else sides[1]))
        return Split(guard, arms)

    def _truth(self, what: object, rank: int) -> bool | Symbol | None:
        """What a condition is on a rank, or what is left of it; None where that is not known."""
        found = self._at(what, rank)
        return found if found is None or isinstance(found, Symbol) else bool(found)

    def _at(self, what: object, rank: int) -> Any:
        """What a part of a condition is on a rank: a number or truth, a symbol, or None where it is not known."""
        if isinstance(what, Const):
            return what.value if isinstance(what.value, int) else None
        if what is self.place or what is self.size:
            return rank if what is self.place else WORLD_SIZE
        if not isinstance(what, Symbol):
            return None
        if not self._hangs_on_place(what):
            return what
        found = [self._at(part, rank) for part in (what.operands if isinstance(what, Operation) else what.parts)]
        if None in found:
            return None
        if isinstance(what, Not):
            return symbol("not", found[0]) if isinstance(found[0], Symbol) else not found[0]
        if isinstance(what, Junction):
            return _joined(what, found)
        folded = _FOLDED.get(what.sign) if isinstance(what, Operation) and len(found) == 2 else None
        if folded is None or any(isinstance(one, Symbol) for one in found):
            return None
        return folded(*found) if found[1] or folded not in _DIVISIONS else None

    def _hangs_on_place(self, what: object) -> bool:
        if what is self.place or what is self.size:
            return True
        return isinstance(what, Symbol) and any(map(self._hangs_on_place, what.parts))


def _joined(what: Junction, found: list[Any]) -> Any:
    """``and`` or ``or`` of what is known and what is not."""
    decides = what.decisive
    left = [one for one in found if isinstance(one, Symbol)]
    if any(bool(one) is decides for one in found if not isinstance(one, Symbol)):
        return decides
    if not left:
        return not decides
    return left[0] if len(left) == 1 else symbol(what.head, *left)

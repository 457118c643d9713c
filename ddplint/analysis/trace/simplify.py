"""Takes out of a trace what no comparison can tell apart: decisions, loops and calls without any communication."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.symbols import Symbol, asked_in
from ddplint.analysis.trace.exits import ENDS, ExitKind, Exits
from ddplint.analysis.trace.nodes import (
    Choice,
    Exit,
    Guarded,
    Hole,
    Local,
    Loop,
    Managed,
    Node,
    Nodes,
    Op,
    Opaque,
    Scope,
    Split,
    every,
    outside,
    parts,
)


@dataclass(slots=True)
class _Part:
    """Nodes that are left, whether they communicate, the exits that leave them, and what surely cannot be followed.

    ``decided``: which ranks leave, or on which paths, matters to what comes after.
    """

    nodes: Nodes
    speaks: bool
    exits: Exits
    opaque: Opaque | None
    decided: bool = False


def simplified(trace: Nodes) -> tuple[Nodes, bool]:
    """A trace with the same differences, and whether that needed a short cut.

    What neither communicates nor leaves the place it stands in is dropped; where every way through it meets code that
    could not be followed, one such call stays. In a trace that is still large, raising counts as leaving only where
    nothing in it speaks: a failure that all ranks share and handle alike is not looked into there.
    """
    deciding = _deciding(trace)
    kept = _Simplifier(False, deciding).nodes(trace, caught=False).nodes
    if _size(kept) <= limits.LARGE_TRACE:
        return kept, False
    return _Simplifier(True, deciding).nodes(trace, caught=False).nodes, True


def _size(nodes: Nodes) -> int:
    return len(nodes) + sum(_size(part) for node in nodes for part in parts(node))


@dataclass(slots=True)
class _Asked:
    """What is asked where the answer decides over communication (``speaking``), or over who goes on (``leaving``)."""

    speaking: set[Symbol]
    leaving: set[Symbol]


def _deciding(nodes: Nodes) -> _Asked:
    asked = _Asked(set(), set())

    def look(node: Node) -> tuple[bool, bool]:
        if isinstance(node, Op):
            return True, True
        if isinstance(node, Exit):
            return False, node.kind not in ENDS
        inside = [look(inner) for part in parts(node) for inner in part]
        speaks, leaves = any(one for one, _ in inside), any(one for _, one in inside)
        if isinstance(node, (Choice, Local)):
            what = set(asked_in(node.symbol))
            asked.speaking |= what if speaks else set()
            asked.leaving |= what if leaves else set()
        return speaks, leaves

    for node in nodes:
        look(node)
    return asked


@dataclass(slots=True)
class _Simplifier:
    large: bool
    asked: _Asked

    def nodes(self, nodes: Nodes, caught: bool) -> _Part:
        kept: Nodes = []
        speaks, exits, decided = False, Exits(), False
        opaque: Opaque | None = None
        for node in nodes:
            part = self.node(node, caught)
            kept += part.nodes
            speaks |= part.speaks
            exits |= part.exits
            decided |= part.decided
            opaque = _blinder(opaque, part.opaque)
        return _Part(kept, speaks, exits, opaque, decided)

    def node(self, node: Node, caught: bool) -> _Part:
        if isinstance(node, Op):
            return _Part([node], True, frozenset(), None)
        if isinstance(node, Opaque):
            return _Part([node], False, frozenset(), node)
        if isinstance(node, Exit):
            return _Part([node], False, frozenset({node.way}), None)
        inner = caught or (isinstance(node, Guarded) and _meets_who_raises(node))
        found = [self.nodes(part, inner) for part in parts(node)]
        exits = outside(node, Exits().union(*(part.exits for part in found)))
        speaks = any(part.speaks for part in found)
        opaque = _certain(node, found)
        decided = any(part.decided for part in found) or (bool(exits) and self._decides(node, exits))
        if (
            not speaks
            and not decided
            and not isinstance(node, Split)
            and exits <= (ENDS if self.large or not caught else frozenset())
        ):
            return _Part([opaque] if opaque is not None else [], False, exits, opaque)
        return _Part([rebuilt(node, [part.nodes for part in found])], speaks, exits, opaque, decided)

    def _decides(self, node: Node, exits: Exits) -> bool:
        """Whether a node with an exit inside tells something about who comes after it, or on which paths."""
        known = self.asked.leaving if exits <= ENDS else self.asked.speaking
        return isinstance(node, Split) or (
            isinstance(node, (Choice, Local)) and not known.isdisjoint(asked_in(node.symbol))
        )


def _meets_who_raises(node: Guarded) -> bool:
    """Whether something more happens to a rank that raises inside: a handler, or communication in a ``finally``."""
    return bool(node.handlers) or any(isinstance(inner, Op) for inner in every(node.final))


def _blinder(first: Opaque | None, second: Opaque | None) -> Opaque | None:
    """The one that may hide more: any call rather than a model's."""
    if first is None or second is None:
        return first or second
    return replace(second if first.model and not second.model else first, name="")


def _certain(node: Node, found: list[_Part]) -> Opaque | None:
    """A call that cannot be followed and that every way through ``node`` meets."""
    if isinstance(node, (Choice, Local)):
        ways = [part for part in found if not any(isinstance(n, Exit) and n.kind is ExitKind.RAISE for n in part.nodes)]
        opaque = [part.opaque for part in ways]
        return None if not opaque or None in opaque else _one_of(opaque)
    if isinstance(node, Loop):
        return found[0].opaque if node.exact and found else None
    if isinstance(node, (Scope, Managed, Hole, Guarded)):
        return found[0].opaque
    return None


def _one_of(opaque: list[Opaque | None]) -> Opaque | None:
    first = opaque[0]
    if first is None or len({one and one.name for one in opaque}) == 1:
        return first
    return replace(first, name="")


def rebuilt(node: Node, inner: list[Nodes]) -> Node:
    """The node with other lists inside, in the order of :func:`parts`."""
    if inner == parts(node):
        return node
    if isinstance(node, Split):
        return replace(node, arms=[(mask, nodes) for (mask, _), nodes in zip(node.arms, inner)])
    if isinstance(node, (Choice, Local)):
        return replace(node, then=inner[0], other=inner[1])
    if isinstance(node, Loop):
        return replace(node, iterations=inner)
    if isinstance(node, (Scope, Managed, Hole)):
        return replace(node, nodes=inner[0])
    assert isinstance(node, Guarded)
    handlers = [(kinds, nodes) for (kinds, _), nodes in zip(node.handlers, inner[1:-1])]
    return replace(node, body=inner[0], handlers=handlers, final=inner[-1])

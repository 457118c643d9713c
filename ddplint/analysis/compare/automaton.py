"""Runs a trace as one rank: a continuation machine that yields the rank's next operation, decision or end.

A continuation is an interned linked list of frames; two ranks that stand at the same place with the same frames around
them hold the same object.
"""

from __future__ import annotations

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.trace.exits import ENDS, OF_LOOPS, ExitKind
from ddplint.analysis.trace.nodes import (
    Choice,
    Exit,
    Guarded,
    Hole,
    Kinds,
    Local,
    Loop,
    Managed,
    Nodes,
    Op,
    Opaque,
    Scope,
    Split,
)
from ddplint.util.frozen import frozen
from ddplint.util.word import Word

WayOut = tuple[ExitKind, Kinds]
"""An exit on its way: its kind, and the classes of an exception."""

_ENDS = frozenset({ExitKind.EXIT, ExitKind.QUIT})
"""``sys.exit``, with an error and without."""

DROPPED = "dropped"
"""A generator that does not go on when what runs in its place is left."""


class End(Word):
    """What is over at the end of a list of nodes."""

    SEQ = "seq"
    """Nothing: what is around goes on."""
    LOOP = "loop"
    """An iteration of a loop."""
    MORE = "more"
    """The question for one more iteration."""
    SCOPE = "scope"
    TRY = "try"
    HANDLER = "handler"
    PENDING = "pending"
    """What runs before an exit goes on: a ``finally``, or a manager."""
    MANAGED = "managed"
    HOLE = "hole"
    RAISED = "raised"
    """The program, by an exception that nobody takes."""
    PRUNED = "pruned"
    """What was walked of an endless loop."""


class Continuation:
    """A place in a trace: ``nodes[index:]`` remain here, then ``parent``. ``kind`` says what ends at the list's end."""

    __slots__ = ("extra", "index", "kind", "next", "nodes", "parent")

    def __init__(self, kind: End, nodes: Nodes, index: int, extra: object, parent: Continuation | None) -> None:
        self.kind = kind
        self.nodes = nodes
        self.index = index
        self.extra = extra
        self.parent = parent
        self.next: Continuation | None = None
        """Behind the current node, once somebody has been there."""


@frozen()
class Step:
    """What a rank meets next: an operation (``op``), a decision (``symbol`` with both ways on), or an end.

    ``local`` is the node (by identity) of a decision that each rank makes for itself, else 0.
    """

    op: Op | None = None
    opaque: Opaque | None = None
    symbol: Symbol | None = None
    local: int = 0
    iterates: bool = False
    after: Continuation | None = None
    other: Continuation | None = None
    end: str = ""


def _iteration_of(cont: Continuation) -> tuple[int, int]:
    """The loop (by identity) and the iteration that a continuation stands in."""
    assert isinstance(cont.extra, tuple)
    return cont.extra


def _way_out(cont: Continuation) -> WayOut:
    """The exit that waits for a ``finally`` or a manager to end."""
    assert isinstance(cont.extra, tuple)
    return cont.extra


class Automaton:
    """Interns continuations and moves along them for a given rank."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Continuation] = {}
        self._empty: Nodes = []
        self._failed: Nodes = [Exit(ExitKind.EXIT)]
        self._quit: Nodes = [Exit(ExitKind.EXIT, quiet=True)]
        self._loops: dict[int, Loop] = {}

    def at(self, kind: End, nodes: Nodes, index: int, extra: object, parent: Continuation | None) -> Continuation:
        """The continuation with these parts."""
        key = (kind, id(nodes), index, extra if isinstance(extra, (int, str, tuple)) else id(extra), id(parent))
        found = self._table.get(key)
        if found is None:
            found = self._table[key] = Continuation(kind, nodes, index, extra, parent)
        return found

    def enter(
        self, nodes: Nodes, parent: Continuation | None, kind: End = End.SEQ, extra: object = None
    ) -> Continuation:
        """The start of a list of nodes inside ``parent``."""
        return self.at(kind, nodes, 0, extra, parent)

    def next_of(self, cont: Continuation) -> Continuation:
        """The place after the current node."""
        found = cont.next
        if found is None:
            found = cont.next = self.at(cont.kind, cont.nodes, cont.index + 1, cont.extra, cont.parent)
        return found

    def settle(self, cont: Continuation | None) -> Continuation | None:
        """Leave lists that are finished; None at the end of the trace."""
        while cont is not None and cont.index >= len(cont.nodes):
            cont = self._finished(cont)
        return cont

    def _finished(self, cont: Continuation) -> Continuation | None:
        kind, parent = cont.kind, cont.parent
        if kind is End.LOOP:
            loop, iteration = _iteration_of(cont)
            return self.loop_iteration(self._loops[loop], iteration + 1, parent)
        if kind in (End.TRY, End.HANDLER):
            guarded = self._guarded(cont)
            if guarded.final:
                return self.enter(guarded.final, parent, End.SEQ)
            return parent
        if kind is End.PENDING:
            leaving = _way_out(cont)
            onward = self.unwind(leaving, parent)
            end = self._quit if leaving[0] is ExitKind.QUIT else self._failed if leaving[0] in ENDS else None
            return self.at(End.RAISED, end, 0, 0, None) if onward is None and end is not None else onward
        return parent

    def _guarded(self, cont: Continuation) -> Guarded:
        guarded = cont.extra
        assert isinstance(guarded, Guarded)
        return guarded

    def loop_iteration(self, loop: Loop, iteration: int, after: Continuation | None) -> Continuation | None:
        """The start of an iteration (``after`` when there is none; a pruned end when an endless loop was cut)."""
        if iteration < len(loop.iterations):
            self._loops[id(loop)] = loop
            if not loop.exact and iteration < len(loop.more):
                return self.at(End.MORE, [loop], 0, (id(loop), iteration), after)
            return self.enter(loop.iterations[iteration], after, End.LOOP, (id(loop), iteration))
        if loop.endless:
            return self.at(End.PRUNED, [Exit(ExitKind.PRUNED)], 0, 0, None)
        return after

    def unwind(self, leaving: WayOut, cont: Continuation | None) -> Continuation | None:
        """Where an exit of this kind goes on; None where it leaves the trace."""
        kind, raised = leaving
        ends = kind in _ENDS
        while cont is not None:
            if cont.kind is End.SCOPE and cont.extra == kind:
                return cont.parent
            if cont.kind is End.LOOP and kind in OF_LOOPS:
                loop, iteration = _iteration_of(cont)
                if kind is ExitKind.CONTINUE:
                    return self.loop_iteration(self._loops[loop], iteration + 1, cont.parent)
                behind = cont.parent
                skips = kind is ExitKind.BREAK and self._loops[loop].otherwise
                return behind.parent if behind is not None and skips else behind
            if cont.kind is End.TRY:
                guarded = self._guarded(cont)
                handler = guarded.handler_of(raised) if kind is ExitKind.RAISE else None
                if handler is not None:
                    return self.enter(handler, cont.parent, End.HANDLER, guarded)
                if guarded.final and not (ends and guarded.lax):
                    return self.enter(guarded.final, cont.parent, End.PENDING, leaving)
            elif cont.kind is End.HANDLER:
                guarded = self._guarded(cont)
                if guarded.final:
                    return self.enter(guarded.final, cont.parent, End.PENDING, leaving)
            elif cont.kind is End.HOLE and not ends:
                return self._finish_manager(cont, leaving)
            cont = cont.parent
        return None

    def _finish_manager(self, hole: Continuation, leaving: WayOut) -> Continuation | None:
        """An exit inside a with-body waits until its manager has finished; a generator does not go on."""
        chain: list[Continuation] = []
        cont = hole.parent
        while cont is not None and cont.kind is not End.MANAGED:
            chain.append(cont)
            cont = cont.parent
        if cont is None:
            return self.unwind(leaving, hole.parent)
        if cont.extra == DROPPED:
            return self.unwind(leaving, cont.parent)
        rebuilt: Continuation = self.at(End.PENDING, cont.nodes, cont.index, leaving, cont.parent)
        for part in reversed(chain):
            rebuilt = self.at(part.kind, part.nodes, part.index, part.extra, rebuilt)
        return rebuilt

    def inside(self, cont: Continuation, rank: int) -> Continuation | None:
        """Where this rank goes on in a node that leaves it no choice; None for all other nodes."""
        node, after = cont.nodes[cont.index], self.next_of(cont)
        if isinstance(node, Split):
            arm = next((nodes for mask, nodes in node.arms if mask >> rank & 1), None)
            return self.enter(arm, after) if arm else after
        if isinstance(node, Scope):
            return self.enter(node.nodes, after, End.SCOPE, node.catches)
        if isinstance(node, Guarded):
            return self.enter(node.body, after, End.TRY, node)
        if isinstance(node, Managed):
            return self.enter(node.nodes, after, End.MANAGED, None if node.resumed else DROPPED)
        if isinstance(node, Hole):
            return self.enter(node.nodes, after, End.HOLE)
        return None

    def step(self, cont: Continuation | None, rank: int, passed: set[int], exits: list[Exit]) -> Step:
        """The next thing this rank meets; splits and exits it goes through on the way are noted."""
        while True:
            cont = self.settle(cont)
            if cont is None:
                return Step(end="end")
            node = cont.nodes[cont.index]
            after = self.next_of(cont)
            if isinstance(node, Op):
                return Step(op=node, after=after)
            if isinstance(node, Opaque):
                return Step(opaque=node, after=after)
            inside = self.inside(cont, rank)
            if inside is not None:
                if isinstance(node, Split):
                    passed.add(id(node))
                cont = inside
            elif isinstance(node, Choice):
                return Step(symbol=node.symbol, after=self.enter(node.then, after), other=self.enter(node.other, after))
            elif isinstance(node, Local):
                return Step(
                    symbol=node.symbol,
                    local=id(node),
                    after=self.enter(node.then, after),
                    other=self.enter(node.other, after),
                )
            elif isinstance(node, Loop):
                if cont.kind is End.MORE:
                    _, iteration = _iteration_of(cont)
                    self._loops[id(node)] = node
                    start = self.enter(node.iterations[iteration], cont.parent, End.LOOP, (id(node), iteration))
                    return Step(
                        symbol=node.more[iteration],
                        local=id(node) if node.local else 0,
                        iterates=True,
                        after=start,
                        other=cont.parent or self.ended(),
                    )
                cont = self.loop_iteration(node, 0, after)
            else:
                assert isinstance(node, Exit)
                if node.kind is ExitKind.PRUNED:
                    return Step(end="pruned")
                if node.kind is ExitKind.EXIT:
                    onward = self.unwind((node.way, node.raised), cont) if node.raised else None
                    if onward is None:
                        return Step(end="exit" if node.quiet else "raise")
                else:
                    onward = self.unwind((node.kind, node.raised), cont)
                exits.append(node)
                if onward is None:
                    return Step(end="raise" if node.kind is ExitKind.RAISE else "end")
                cont = onward

    def start_iteration(self, loop: Loop, iteration: int, after: Continuation) -> Continuation:
        """The start of an iteration, entered from outside."""
        self._loops[id(loop)] = loop
        return self.enter(loop.iterations[iteration], after, End.LOOP, (id(loop), iteration))

    def ended(self) -> Continuation:
        """A continuation at the very end."""
        return self.at(End.SEQ, self._empty, 0, 0, None)

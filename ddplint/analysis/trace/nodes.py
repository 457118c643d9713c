"""Traces: what ranks do, as a small tree that keeps only operations, decisions, loops and exits.

A trace is the program with everything but communication folded away. All ranks share one tree; where who they are
decides, a :class:`Split` holds one arm per group of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.symbols import Symbol, later
from ddplint.analysis.trace.events import Event, Frame
from ddplint.analysis.trace.exits import ENDS, GOES, HELD, OF_LOOPS, ExitKind, Exits

Nodes = list["Node"]
Kinds = frozenset[str]
"""Names of exception classes; empty where they are not known: any handler takes it then, and such a handler any."""


def takes(handler: Kinds, raised: Kinds) -> bool:
    """Whether a handler takes an exception, or may take it."""
    return not handler or not raised or not handler.isdisjoint(raised)


@dataclass(eq=False, slots=True)
class Op:
    """A communication: ``kind`` must be met by the same kind on the others of ``members`` (``None``: not known).

    ``place``: what a rank's place in the group is called, where its members are not known.
    """

    event: Event
    kind: str
    group: str = ""
    members: int | None = 0
    place: Symbol | None = None


@dataclass(eq=False, slots=True)
class Opaque:
    """A call that could not be followed and might communicate; ``model``: an unknown object was called like a model.

    It stands for several calls where it has no ``name``.
    """

    frame: Frame
    name: str
    mask: int
    model: bool = False


@dataclass(eq=False, slots=True)
class Split:
    """Ranks diverge because of who they are: one arm for each group of ranks."""

    guard: Guard
    arms: list[tuple[int, Nodes]]


@dataclass(eq=False, slots=True)
class Choice:
    """All ranks take the same arm, which one is not known."""

    symbol: Symbol
    guard: Guard
    then: Nodes
    other: Nodes


@dataclass(eq=False, slots=True)
class Local:
    """Each rank decides for itself."""

    symbol: Symbol
    guard: Guard
    then: Nodes
    other: Nodes
    mask: int


@dataclass(eq=False, slots=True)
class Loop:
    """Iterations of a loop that were walked, in order. ``exact``: these are all; otherwise it may end after any of them
    when ``more`` (one symbol per iteration) says so. ``local`` is set when each rank has its own number of iterations.
    ``otherwise``: an ``else`` follows in the same list, which ``break`` skips; the list is all that its scope holds,
    which ends by ``skip``. There the test of a ``while`` ends the loop by ``done``.
    """

    iterations: list[Nodes]
    exact: bool
    more: list[Symbol]
    guard: Guard | None
    local: bool = False
    endless: bool = False
    tolerated: bool = False
    mask: int = 0
    otherwise: bool = False


@dataclass(eq=False, slots=True)
class Scope:
    """A function's body: ``return`` ends it. ``catches`` names the exits that stop here."""

    nodes: Nodes
    catches: ExitKind = ExitKind.RETURN


@dataclass(eq=False, slots=True)
class Guarded:
    """``try``: a ``raise`` in ``body`` continues in the first of ``handlers`` that takes it; ``final`` always runs.

    ``unforeseen`` is the handler (by its number) to which an exception goes that no ``raise`` of the program raises,
    under ``guard``; ``swallows`` when the program goes on after it. ``broken``: only a broken process group leads
    there, with which nobody communicates any more. ``lax``: a process that ends in ``body`` leaves ``final`` out.
    ``late``: what may fail comes behind the last operation of ``body``. ``failing``: what holds wherever something may.
    """

    body: Nodes
    handlers: list[tuple[Kinds, Nodes]]
    swallows: bool
    final: Nodes
    guard: Guard | None = None
    mask: int = 0
    unforeseen: int | None = None
    broken: bool = False
    lax: bool = False
    late: bool = False
    failing: tuple[tuple[Symbol, bool], ...] = ()

    def handler_of(self, raised: Kinds) -> Nodes | None:
        """What runs after such an exception; None where it is not caught here."""
        return next((nodes for kinds, nodes in self.handlers if takes(kinds, raised)), None)


@dataclass(eq=False, slots=True)
class Managed:
    """A generator of the project: ``nodes`` contain a :class:`Hole` for what runs where it yields.

    ``resumed``: a ``@contextmanager`` goes on when the with-body is left; a generator in a ``for`` is dropped.
    """

    nodes: Nodes
    resumed: bool = True


@dataclass(eq=False, slots=True)
class Hole:
    """The body of a ``with`` inside its manager, or of a ``for`` in its generator: exits lead out of that, too."""

    nodes: Nodes


@dataclass(eq=False, slots=True)
class Exit:
    """A rank leaves. ``quiet``: the process ends as it should.

    What ``raised`` holds passes by every ``finally``: ``sys.exit`` raises, ``os._exit`` does not.
    """

    kind: ExitKind
    frame: Frame | None = field(default=None)
    quiet: bool = False
    raised: Kinds = frozenset()

    @property
    def way(self) -> ExitKind:
        """The kind, which also says how a process ends."""
        return ExitKind.QUIT if self.quiet and self.kind is ExitKind.EXIT else self.kind


Node = Union[Op, Opaque, Split, Choice, Local, Loop, Scope, Guarded, Managed, Hole, Exit]


def matters(nodes: Nodes, caught: Exits) -> bool:
    """Whether a list of nodes communicates, cannot be followed, or leaves by an exit that is not caught around it."""
    for node in nodes:
        if isinstance(node, Exit):
            if node.kind not in caught:
                return True
        elif isinstance(node, (Op, Opaque)):
            return True
        else:
            inner = _into(node, caught) if isinstance(node, (Managed, Hole)) else caught | catches(node)
            if any(matters(part, inner) for part in parts(node)):
                return True
    return False


def often(nodes: Nodes) -> bool:
    """Whether an iteration communicates otherwise than up to a number of iterations that is the same for all ranks."""
    for node in nodes:
        known = later(node.symbol) if isinstance(node, Choice) else None
        if isinstance(node, Choice) and known is not None:
            if often(node.then if known else node.other):
                return True
        elif isinstance(node, Op) or any(map(often, parts(node))):
            return True
    return False


def in_later_iterations(nodes: Nodes) -> Iterator[tuple[Symbol, bool]]:
    """What conditions in an iteration that compare its number are from some iteration on."""
    for node in nodes:
        known = later(node.symbol) if isinstance(node, Choice) else None
        if isinstance(node, Choice) and known is not None:
            yield node.symbol, known
        if not isinstance(node, Loop):
            for part in parts(node):
                yield from in_later_iterations(part)


_NOTHING: Exits = frozenset()


def catches(node: Node) -> Exits:
    """The exits that a node stops."""
    if isinstance(node, Scope):
        return frozenset({node.catches})
    return OF_LOOPS if isinstance(node, Loop) else _NOTHING


def _into(node: Managed | Hole, kinds: Exits) -> Exits:
    """What exits of these kinds around a generator, or a hole in it, are inside."""
    if isinstance(node, Managed):
        return kinds | {HELD + kind for kind in kinds if kind.lstrip(HELD) in GOES}
    return frozenset(kind.removeprefix(HELD) for kind in kinds if kind not in GOES)


def outside(node: Node, kinds: Exits) -> Exits:
    """What exits of these kinds inside a node are to what stands around it."""
    if isinstance(node, Hole):
        return frozenset(HELD + kind if kind.lstrip(HELD) in GOES else kind for kind in kinds)
    if isinstance(node, Managed):
        return frozenset(kind.removeprefix(HELD) for kind in kinds)
    skips = isinstance(node, Loop) and node.otherwise and ExitKind.BREAK in kinds
    return kinds - catches(node) | ({ExitKind.SKIP} if skips else _NOTHING)


def _inside(node: Node, kinds: Exits) -> Exits:
    """The exits inside a node that are of these kinds to what stands around it."""
    if isinstance(node, Managed):
        return _into(node, kinds)
    if isinstance(node, Hole):
        return _into(node, kinds) if any(kind.startswith(HELD) for kind in kinds) else kinds
    skips = isinstance(node, Loop) and node.otherwise and ExitKind.SKIP in kinds
    return kinds - catches(node) | ({ExitKind.BREAK} if skips else _NOTHING)


def parts(node: Node) -> list[Nodes]:
    """The lists of nodes inside a node."""
    if isinstance(node, Split):
        return [nodes for _, nodes in node.arms]
    if isinstance(node, (Choice, Local)):
        return [node.then, node.other]
    if isinstance(node, Loop):
        return node.iterations
    if isinstance(node, (Scope, Managed, Hole)):
        return [node.nodes]
    if isinstance(node, Guarded):
        return [node.body, *(nodes for _, nodes in node.handlers), node.final]
    return []


def every(nodes: Nodes) -> Iterator[Node]:
    """All nodes of a trace, outermost first."""
    stack: list[Node] = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        for part in parts(node):
            stack.extend(reversed(part))


def following(nodes: Nodes, first: Op) -> Iterator[Op]:
    """The operations that always follow one of a trace, as far as its lists say."""
    for index, node in enumerate(nodes):
        within = [part for part in parts(node) if any(inner is first for inner in every(part))]
        if node is first or within:
            for part in within[:1]:
                yield from following(part, first)
            yield from _always(nodes[index + 1 :])
            return


def _always(nodes: Nodes) -> Iterator[Op]:
    for node in nodes:
        if isinstance(node, Exit):
            return
        if isinstance(node, Op):
            yield node
        elif isinstance(node, (Scope, Managed, Hole)):
            yield from _always(node.nodes)
        elif isinstance(node, Guarded):
            yield from _always(node.body)
            yield from _always(node.final)
        elif isinstance(node, Loop) and node.iterations:
            yield from _always(node.iterations[0])


def only_raises(nodes: Nodes) -> bool:
    """Whether nothing but an exception or the end of the process leads out of a list."""
    return leaves_by(nodes, ENDS) and not leaves_by(nodes, GOES)


def leaves_by(nodes: Nodes, kinds: Exits) -> bool:
    """Whether some way through leaves by an exit of one of these kinds."""
    return any(
        node.kind in kinds
        if isinstance(node, Exit)
        else any(leaves_by(part, _inside(node, kinds)) for part in parts(node))
        for node in nodes
    )


def leaves(nodes: Nodes) -> bool:
    """Whether some way through leaves by an exit of any kind."""
    return any(isinstance(node, Exit) for node in every(nodes))


def parts_for_good(nodes: Nodes) -> bool:
    """Whether some ranks may leave by ``break`` or ``return`` while others stay."""
    return any(
        isinstance(inner, Exit) and inner.kind in (ExitKind.BREAK, ExitKind.DONE, ExitKind.RETURN)
        for node in every(nodes)
        if isinstance(node, (Split, Local))
        for inner in every([node])
    )

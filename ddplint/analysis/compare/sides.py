"""The two sides of a comparison: where each stands, what it did since the ranks parted, and where they first differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from ddplint.analysis.compare.automaton import Continuation
from ddplint.analysis.compare.blame import Fault
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.path_condition import PathCondition, independent
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import ranks_of
from ddplint.analysis.trace.events import Event
from ddplint.analysis.trace.exits import EXITS
from ddplint.analysis.trace.nodes import Exit, Guarded, Nodes, Op, leaves_by, often


@dataclass(slots=True)
class SideHistory:
    """What one side did since the ranks parted; ``shifted``: other places by whose operations it is out of step."""

    ops: list[Op] = field(default_factory=list)
    inside: list[Op] = field(default_factory=list)
    opaque: dict[str, int] = field(default_factory=dict)
    models: bool = False
    exits: list[Exit] = field(default_factory=list)
    guessed: bool = False
    shifted: frozenset[Fault] = frozenset()
    asked: dict[Symbol, bool] = field(default_factory=dict)
    """What this side decided on its own way, and how."""

    def pass_opaque(self, name: str) -> None:
        """Code that could not be followed was called by this name."""
        self.opaque[name] = self.opaque.get(name, 0) + 1

    def copy(self) -> SideHistory:
        exits, opaque = list(self.exits), dict(self.opaque)
        return SideHistory(
            list(self.ops),
            list(self.inside),
            opaque,
            self.models,
            exits,
            self.guessed,
            self.shifted,
            dict(self.asked),
        )

    def may_hold(self, op: Op | None, other: SideHistory, synchronised: set[str]) -> bool:
        """Whether code that could not be followed on this side may hold the counterpart of an operation of another.

        What the other side calls as well holds none: both do there what it does. Nor do ``synchronised`` calls.
        """
        hidden = {name: count for name, count in self.opaque.items() if name not in synchronised}
        if any(not name or count > other.opaque.get(name, 0) for name, count in hidden.items()):
            return True
        return self.models and op is not None and op.kind in ("forward", "backward")


@dataclass(slots=True)
class Failure:
    """The first difference: the operation of each side (None at its end) and what came before.

    ``blamed``: the other places at which the two sides part, where the difference is theirs. ``known``: the way there.
    ``usual``: the first difference where a side that has left a round goes on with the next one like the others, and
    what does not communicate is left out; it may be the same.

    Where one side makes a pass that may communicate nothing, ``surely`` is the first difference without such passes,
    and ``only_silent`` says that there is none.
    """

    first: Op | None
    second: Op | None
    met: tuple[SideHistory, SideHistory]
    blamed: frozenset[Fault] = frozenset()
    known: PathCondition = field(default_factory=PathCondition)
    usual: Failure | None = None
    surely: Failure | None = None
    only_silent: bool = False


@dataclass(slots=True)
class SideState:
    """One side of a comparison.

    ``paired``: it went through a loop of its own that was taken to make as many iterations as the other side's;
    ``picked``: an element of some loop decided what it does.
    """

    cont: Continuation | None
    rank: int
    known: PathCondition
    met: SideHistory
    paired: bool = False
    picked: bool = False


def first_apart(stay: SideHistory, gone: SideHistory) -> tuple[Op | None, Op | None]:
    """The first operations that the two sides do not share: both run what stands in a ``finally``."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(stay.ops, gone.ops, strict=False)))
    first, second = stay.ops[shared:], gone.ops[shared:]
    return first[0] if first else None, second[0] if second else None


def _evaluates(op: Op) -> bool:
    """Whether an operation is a forward pass without gradients."""
    return op.kind == "forward" and bool(op.event.details.get("no_grad"))


def may_be_silent(op: Op) -> bool:
    """Whether an operation is the evaluation of a model that has no buffers to broadcast, as far as is known."""
    return _evaluates(op) and not op.event.details.get("buffers")


def hangs_on_stage(failure: Failure) -> bool:
    """Whether ranks wait in the pass of an engine whose configuration says whether it shards parameters."""
    return any(op is not None and op.kind == "forward" and "deepspeed" in op.event.name for op in _differing(failure))


def _differing(failure: Failure) -> tuple[Op | None, Op | None]:
    return failure.first, failure.second


def ways_beside(failure: Failure, way: PathCondition) -> Iterator[PathCondition]:
    """The ways beside the one that fails: each takes another turn at one of the decisions on it."""
    for what, value in independent(failure.known.since(way))[: limits.SURER_WAYS]:
        yield way.add(what, not value)
        way = way.add(what, value)


def first_and_others(mask: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """One of some ranks, and the others; itself where there are none."""
    everyone = ranks_of(mask)
    return everyone[:1], everyone[1:] or everyone


def without_end(nodes: Nodes) -> Nodes:
    """What is done before a block is left at its end by ``return`` or the like."""
    return nodes[:-1] if nodes and isinstance(nodes[-1], Exit) else nodes


def broken_off(node: Guarded, handler: Nodes) -> list[Nodes]:
    """What a rank may have done of a ``try`` before it fails, other than nothing.

    All of it, where something comes behind; or all before a backward pass, which needs the most memory, where the
    handler does something again.
    """
    found = [without_end(node.body)] if node.late else []
    last = next((number for number, one in enumerate(node.body) if isinstance(one, Op) and one.kind == "backward"), 0)
    return [*found, node.body[:last]] if often(handler) and often(node.body[:last]) else found


def says_nothing(op: Op) -> bool:
    """Whether an operation is a forward pass of a replica that has no buffers to broadcast."""
    return op.kind == "forward" and hands_nothing_out(op.event)


def hands_nothing_out(event: Event) -> bool:
    """The same of what was executed."""
    details = event.details
    return event.effect == Effect.FORWARD and details.get("buffers") is False and not details.get("engine")


def quiet_forward(a: SideHistory, b: SideHistory) -> Op | None:
    """A forward pass without gradients that one side alone makes: what comes later is out of step only by that."""
    quiet = [[op for op in met.inside if _evaluates(op)] for met in (a, b)]
    return (quiet[0] or quiet[1])[0] if bool(quiet[0]) != bool(quiet[1]) else None


def leaver(arms: tuple[Nodes, Nodes], failure: Failure) -> int | None:
    """The side (0 or 1) whose arm left the place, where the other's did not."""
    left = [leaves_by(arm, EXITS) and bool(met.exits) for arm, met in zip(arms, failure.met)]
    return left.index(True) if left[0] != left[1] else None

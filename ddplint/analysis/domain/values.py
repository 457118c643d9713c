"""Values of the walk: small, immutable, hashable.

A value is known, the same on all ranks though unknown, different per rank, or a choice between two values that hangs on
one uniform unknown. Whatever differs between ranks remembers where it came from (``origin``, one link back).
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ddplint.analysis.domain.origins import Origin, Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.knowledge import Api
from ddplint.source.tree import ClassNode, FunctionNode
from ddplint.util.frozen import frozen

if TYPE_CHECKING:
    from ddplint.project.modules import Module


WORLD_SIZE = 4
LOCAL_WORLD_SIZE = 2
EVERYONE = (1 << WORLD_SIZE) - 1
GLOBAL_RANKS = (0, 1, 2, 3)
LOCAL_RANKS = (0, 1, 0, 1)
NODE_RANKS = (0, 0, 1, 1)

_LISTED: dict[int, tuple[int, ...]] = {
    mask: tuple(r for r in range(WORLD_SIZE) if mask >> r & 1) for mask in range(EVERYONE + 1)
}
_SETS: dict[int, frozenset[int]] = {mask: frozenset(ranks) for mask, ranks in _LISTED.items()}


def ranks_of(mask: int) -> tuple[int, ...]:
    """The ranks in a bit mask, ascending."""
    return _LISTED[mask]


def set_of(mask: int) -> frozenset[int]:
    """The ranks in a bit mask, as a set."""
    return _SETS[mask]


class Value:
    """Base of all values."""

    __slots__ = ()


@frozen()
class Trail:
    """One link of provenance: ``origin`` made the value differ; ``back`` is where it had it from."""

    origin: Origin
    back: Trail | None = None

    def links(self) -> tuple[Origin, ...]:
        """The chain, first cause first."""
        chain: list[Origin] = []
        step: Trail | None = self
        while step is not None:
            chain.append(step.origin)
            step = step.back
        return tuple(reversed(chain))


@frozen(eq=False)
class Const(Value):
    """A known Python constant (or tuple of Python constants)."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Const) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


TRUE = Const(True)
FALSE = Const(False)
NONE = Const(None)


@frozen()
class Unknown(Value):
    """Not known, but the same on all ranks. ``source`` is the wrapped model a tensor came out of, if any."""

    symbol: Symbol
    source: Wrapped | None = None


@frozen()
class Varying(Value):
    """Each rank sees its own: ``reason`` says of what kind, ``symbol`` which quantity."""

    reason: Reason
    symbol: Symbol
    trail: Trail | None = field(default=None, compare=False)
    source: Wrapped | None = None


@frozen()
class PerRank(Value):
    """Known to differ by who the rank is: one value for each rank of the world that is walked."""

    values: tuple[Value, ...]
    trail: Trail | None = field(default=None, compare=False)


@frozen()
class Either(Value):
    """``yes`` where ``symbol`` is true, ``no`` where it is false; ``leaves`` counts the alternatives.

    ``symbol`` is the same on all ranks, unless ``local`` says why each rank has its own.
    """

    symbol: Symbol
    yes: Value
    no: Value
    leaves: int = field(default=2, compare=False)
    local: Varying | None = field(default=None, compare=False, repr=False)


@frozen()
class Unbound(Value):
    """A name that has no value on this path."""


UNBOUND = Unbound()


@frozen()
class Tuple(Value):
    """A tuple of values (immutable)."""

    items: tuple[Value, ...]


@frozen()
class Instance(Value):
    """A mutable thing on the walk's heap: an object of a project class; attributes live in the store under ``id``."""

    id: int
    cls: Class


@frozen()
class Container(Value):
    """A list, dict or set on the heap (``kind``); its content is stored under ``(id, "")``."""

    id: int
    kind: str


@frozen()
class Function(Value):
    """A function or lambda of the project, with the frame it closes over and the class that defines it."""

    node: FunctionNode = field(hash=False, compare=False, repr=False)
    module: Module = field(hash=False, compare=False, repr=False)
    scope: int
    name: str
    key: int
    owner: Class | None = field(default=None, hash=False, compare=False)


@frozen()
class Bound(Value):
    """A callable with its receiver: a method of an instance, or a method of an external object."""

    function: Value
    receiver: Value


@frozen()
class Partial(Value):
    """``functools.partial``: a callable with arguments filled in."""

    function: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]


@frozen()
class OnRanks(Value):
    """A callable that runs on some ranks only, and does nothing elsewhere (``rank_zero_only``)."""

    function: Value
    ranks: tuple[bool, ...]
    trail: Trail | None = field(default=None, compare=False)


@frozen()
class Class(Value):
    """A class of the project."""

    node: ClassNode = field(hash=False, compare=False, repr=False)
    module: Module = field(hash=False, compare=False, repr=False)
    scope: int
    name: str
    key: int
    bases: tuple[Value, ...] = ()


@frozen()
class ModuleValue(Value):
    """A module of the project."""

    module: Module = field(hash=False, compare=False)
    name: str


@frozen()
class Deferred(Value):
    """A name imported from a project module that is not loaded before somebody uses the name."""

    module: Module = field(hash=False, compare=False)
    source: str
    name: str


@frozen()
class External(Value):
    """Something outside the project, by its fully qualified name."""

    name: str


@frozen()
class Object(Value):
    """An instance of an external class (``name``), with what it was made from. ``id`` tells two of them apart."""

    name: str
    id: int
    args: tuple[Value, ...] = field(default=(), compare=False)
    kwargs: tuple[tuple[str, Value], ...] = field(default=(), compare=False)
    site: object = field(default=None, compare=False, repr=False)

    def argument(self, position: int, keyword: str) -> Value | None:
        """The constructor's argument by keyword or position."""
        for name, value in self.kwargs:
            if name == keyword:
                return value
        return self.args[position] if 0 <= position < len(self.args) else None


@frozen()
class Wrapped(Value):
    """A model or engine behind a wrapper whose calls communicate (DDP, FSDP, DeepSpeed, ``accelerator.prepare``)."""

    api: Api = field(compare=False)
    inner: Value
    id: int
    site: object = field(default=None, compare=False, repr=False)
    buffers: bool | None = field(default=None, compare=False)
    kwargs: tuple[tuple[str, Value], ...] = field(default=(), compare=False)
    name: str = field(default="", compare=False)
    split: bool = field(default=False, compare=False)
    """Whether who wrapped it was asked to split it over the ranks (``Fabric(strategy="fsdp")``)."""


@frozen()
class Group(Value):
    """A process group: ``members`` as a bit mask, or ``None`` where membership is not known."""

    id: int
    members: int | None


@frozen()
class Generator(Value):
    """A generator of the project that was called but not yet run."""

    function: Function
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]
    receiver: Value | None = None


def unknown(what: str) -> Unknown:
    """A new uniform unknown."""
    return Unknown(fresh(what))


def per_rank(values: tuple[Value, ...], trail: Trail | None = None) -> Value:
    """One value per rank, collapsed when all are equal."""
    first = values[0]
    if all(value == first for value in values):
        return first
    return PerRank(values, trail)


def source_of(value: Value) -> Wrapped | None:
    """The wrapped model a value came out of."""
    kind = type(value)
    if kind is Unknown or kind is Varying:
        return value.source  # type: ignore[attr-defined, no-any-return]
    if kind in _MADE_OF_OTHERS:
        return next((source for part in parts_of(value) if (source := source_of(part)) is not None), None)
    return None


def by_rank_in(value: Value) -> bool:
    """Whether ranks see different things in a value, on some path at least."""
    if isinstance(value, Either):
        return by_rank_in(value.yes) or by_rank_in(value.no)
    return isinstance(value, PerRank)


def varying_in(value: Value) -> Varying | None:
    """A rank-local part of a value, if it has one."""
    if type(value) is Varying:
        return value
    if type(value) in _MADE_OF_OTHERS:
        return next((local for part in parts_of(value) if (local := varying_in(part)) is not None), None)
    return None


_MADE_OF_OTHERS = (Tuple, Either, PerRank)


def parts_of(value: object) -> tuple[Value, ...]:
    """The values that a tuple or a choice is made of."""
    if isinstance(value, Either):
        return value.yes, value.no
    if isinstance(value, Tuple):
        return value.items
    return value.values if isinstance(value, PerRank) else ()

"""Places in the store, and what an arm of a branch has written: what notes about bindings are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Trail, Value, Varying
from ddplint.analysis.trace.nodes import Nodes

Location = tuple[int, str]


@dataclass(slots=True)
class Arm:
    """What became of one arm: its trace, its writes, who falls through, and its value.

    ``stays``: on which decisions inside it hangs who falls through, and who does in either case.
    """

    mask: int
    nodes: Nodes
    writes: dict[Location, Value]
    fall: int
    gained: dict[Symbol, bool]
    value: Value | None
    stays: Mapping[Symbol, tuple[int, int]] = field(default_factory=dict)


class Store(Protocol):
    """The store, as notes about bindings see it."""

    store: dict[Location, Value]
    names: dict[int, set[str]]
    mask: int
    path: PathCondition
    trace: Nodes
    stays: Mapping[Symbol, tuple[int, int]]
    journals: list[dict[Location, Value | None]]
    partial: set[Location]
    bound: set[str]
    whole: int
    left_by: Trail | None

    def read(self, where: Location) -> Value | None: ...
    def write(self, where: Location, value: Value) -> None: ...
    def held(self, owner: int) -> list[tuple[str, Value]]: ...
    def hold(self, where: Location, value: Value) -> None: ...
    def store_all(self, writes: Mapping[Location, Value]) -> None: ...
    def narrow(self, value: Value) -> Value: ...
    def arm(self, mask: int, literal: tuple[Symbol, bool] | None, run: Callable[[], Value | None]) -> Arm: ...
    def together(self) -> Mapping[Symbol, bool]: ...
    def begin_call(self) -> None: ...
    def end_call(self, scope: int | None) -> None: ...
    def unwind(self, depth: int) -> None: ...
    def join_split(self, arms: Sequence[Arm], trail: Trail | None, guard: Guard) -> Value | None: ...
    def join_choice(self, what: Symbol, then: Arm, other: Arm, left: Arm | None = None) -> Value | None: ...
    def join_local(self, cause: Varying, then: Arm, other: Arm, left: Arm | None = None) -> Value | None: ...

"""The interpreter as its memory, its models and its semantics see it: they annotate with this and import no class.

Made of types alone: what an interpreter has, and what it passes on to the semantics and the models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, GuardKind, Origin, Reason
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import (
    Bound,
    Class,
    Container,
    Deferred,
    External,
    Function,
    Instance,
    Object,
    Trail,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.memory.frames import CallFrame, Held, Loop_, Run, Tail, Try_
from ddplint.analysis.memory.records import Record, Risks
from ddplint.analysis.memory.store import State
from ddplint.analysis.trace.events import Details, Event, Frame, LoopFrame
from ddplint.analysis.trace.nodes import Nodes
from ddplint.analysis.trace.presence import Presence
from ddplint.knowledge import Api, Knowledge
from ddplint.project.modules import Module, Project
from ddplint.project.visits import Visits
from ddplint.source.file import SourceFile

if TYPE_CHECKING:
    from typing_extensions import Unpack


R = TypeVar("R", bound="Record")


class Interp(Protocol):
    """One walk: its state, its call stack, what it has seen, and how it goes on."""

    semantics: Semantics
    models: Models
    evaluators: Mapping[type, Callable[[Interp, Any], Value]]
    handlers: Mapping[type, Callable[[Interp, Any], None]]
    project: Project
    knowledge: Knowledge
    state: State
    frames: list[CallFrame]
    guards: tuple[Guard, ...]
    locals: tuple[Varying, ...]
    loops: list[Loop_]
    around: tuple[LoopFrame, ...]
    tries: list[Try_]
    parents: dict[int, int | None]
    lasting: set[int]
    events: list[Event]
    limits: list[str]
    steps: int
    distributed: bool
    quiet: int
    tolerant: int
    alone: int
    risks: Risks
    presence: Presence
    ids: count[int]
    order: count[int]
    owners: dict[object, int]
    parts: dict[object, list[Symbol]]
    loaded: set[int]
    followed: int
    defined: list[Function]
    called: set[int]
    visits: Visits
    tail: Tail | None
    spoken: Risks
    """What might have raised by the time of the last operation."""
    homes: dict[int, SourceFile]
    marks: set[tuple[str, int]]
    total: int
    home: Module | None
    everyone: int

    def record(self, kind: type[R]) -> R: ...
    def saved(self, **held: Unpack[Held]) -> AbstractContextManager[None]: ...
    @property
    def frame(self) -> CallFrame: ...
    def new_scope(self, parent: int | None) -> int: ...
    def keep_scopes(self) -> None: ...
    def owner(self, of: object) -> int: ...
    def stack(self, node: cst.CSTNode) -> tuple[Frame, ...]: ...
    def here(self, node: cst.CSTNode) -> Frame: ...
    def origin(self, node: cst.CSTNode, text: str) -> Origin: ...
    def trail(self, node: cst.CSTNode, text: str, back: Trail | None = None) -> Trail: ...
    def tick(self) -> None: ...
    @property
    def tired(self) -> bool: ...
    def limit(self, text: str) -> None: ...
    def emit(
        self,
        what: Api | str,
        effect: Effect,
        node: cst.CSTNode,
        *,
        api: Api | None = None,
        args: Sequence[Value] = (),
        kwargs: Mapping[str, Value] | None = None,
        receiver: Value | None = None,
        result: Value | None = None,
        group: str = "",
        label: str = "",
        details: Details | None = None,
    ) -> Event: ...
    def operate(
        self, event: Event, kind: str, group: str = "", members: int | None = 0, place: Symbol | None = None
    ) -> None: ...
    def truth(self, value: Value) -> bool | Symbol | None: ...
    def plain_attribute(self, value: Bound | External) -> Symbol | None: ...
    def truth_of_unknown(self, value: Value) -> Symbol: ...
    def branch(
        self,
        value: Value,
        node: cst.CSTNode,
        statement: cst.CSTNode,
        kind: GuardKind,
        then: Run,
        other: Run,
        depth: int = 0,
    ) -> Value | None: ...
    def fork_choice(self, what: Symbol, guard: Callable[[], Guard], then: Run, other: Run) -> Value | None: ...
    def split(
        self, by: Value, node: cst.CSTNode, kind: GuardKind, run: Callable[[Value], Value | None]
    ) -> Value | None: ...
    def on_ranks(
        self, ranks: Sequence[bool], trail: Trail | None, node: cst.CSTNode, kind: GuardKind, run: Run
    ) -> Value: ...
    def guard(
        self, kind: GuardKind, node: cst.CSTNode, statement: cst.CSTNode, reason: Reason, trail: Trail | None
    ) -> Guard: ...
    def lift(self, node: cst.CSTNode, compute: Callable[..., Value], *values: Value) -> Value: ...
    def container(self, kind: str, items: Sequence[Value] | None, local: Varying | None = None) -> Container: ...
    def instance(self, cls: Class) -> Instance: ...
    def external_object(
        self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], site: object
    ) -> Object: ...
    def trace_of(self, run: Callable[[], object]) -> Nodes: ...


class Semantics(Protocol):
    """What Python means, for those who stand below the modules that say it."""

    def evaluate(self, w: Interp, node: cst.BaseExpression) -> Value: ...
    def block(self, w: Interp, body: Sequence[cst.CSTNode]) -> None: ...
    def set_item(self, w: Interp, base: Value, index: Value, value: Value, node: cst.CSTNode) -> None: ...
    def store_item(self, w: Interp, target: cst.Subscript, value: Value) -> None: ...
    def assign(self, w: Interp, target: cst.BaseAssignTargetExpression | cst.BaseExpression, value: Value) -> None: ...
    def element_of(self, w: Interp, source: Value, node: cst.CSTNode) -> tuple[Value, Varying | None]: ...
    def call(self, w: Interp, node: cst.Call) -> Value: ...
    def call_value(self, w: Interp, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value: ...
    def run_function(
        self,
        w: Interp,
        function: Function,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        node: cst.CSTNode,
        on_yield: object = None,
    ) -> Value: ...
    def load(self, w: Interp, module: Module) -> None: ...
    def item(self, w: Interp, node: cst.CSTNode, base: Value, index: Value) -> Value: ...
    def used(self, w: Interp, value: Value, node: cst.BaseExpression) -> None: ...
    def super_attribute(self, w: Interp, base: Object, name: str, node: cst.CSTNode) -> Value | None: ...
    def get(self, w: Interp, base: Value, name: str, node: cst.CSTNode) -> Value: ...
    def set_attribute(self, w: Interp, base: Value, name: str, value: Value, node: cst.CSTNode) -> None: ...
    def of_class(self, w: Interp, base: Class, name: str, node: cst.CSTNode) -> Value: ...
    def of_instance(self, w: Interp, base: Instance, name: str, node: cst.CSTNode) -> Value: ...
    def resolve(self, w: Interp, deferred: Deferred, node: cst.CSTNode | None = None) -> Value: ...
    def end_process(self, w: Interp, node: cst.CSTNode, quiet: bool, at_once: bool) -> None: ...
    def at_the_end(self, w: Interp, length: Varying, node: cst.CSTNode, element: Callable[[], Value]) -> Value: ...
    def is_there(self, w: Interp, base: Instance, name: str) -> Value: ...
    def tracker_call(self, w: Interp, row: Api, node: cst.CSTNode) -> None: ...


class Models(Protocol):
    """What libraries do, for those who stand below the modules that say it."""

    def call_external(self, w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value: ...
    def call_method(
        self, w: Interp, name: str, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode
    ) -> Value: ...
    def call_object(self, w: Interp, receiver: Object, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value: ...
    def call_unknown(self, w: Interp, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value: ...
    def of_unknown(
        self, w: Interp, receiver: Unknown | Varying, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
    ) -> Value: ...
    def decorate(self, w: Interp, decorator: Value, value: Value, node: cst.Decorator) -> Value: ...
    def manager(
        self, w: Interp, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
    ) -> bool: ...
    def value_of(self, w: Interp, row: Api, node: cst.CSTNode, receiver: Value | None) -> Value: ...
    def apply(
        self, w: Interp, row: Api, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None
    ) -> Value: ...
    def path_of(self, w: Interp, text: Value) -> Object: ...
    def wrapped(
        self, w: Interp, row: Api, inner: Value, kwargs: Kwargs, node: cst.CSTNode, maker: Value | None = None
    ) -> Value: ...
    def note_name(self, w: Interp, node: cst.CSTNode, made_of: Sequence[Value], text: Value) -> None: ...

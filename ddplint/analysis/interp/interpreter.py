"""The walker: runs a program on paper, once, with all ranks in step.

This package holds the machinery (frames, branching, events); what statements and expressions mean lives in
``analysis.semantics``, what calls of libraries do in ``analysis.models``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.term import Attr
from ddplint.analysis.domain.values import (
    EVERYONE,
    Class,
    Const,
    Container,
    Function,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.interp import branching, lifting, recording
from ddplint.analysis.interp.saving import Saved
from ddplint.analysis.memory.aliases import Made
from ddplint.analysis.memory.filling import MadeIn
from ddplint.analysis.memory.frames import CallFrame, Held, Loop_, Tail, Try_
from ddplint.analysis.memory.protocol import Interp, Models, Semantics
from ddplint.analysis.memory.records import Life, Record, Risks
from ddplint.analysis.memory.store import State
from ddplint.analysis.trace.events import Event, LoopFrame
from ddplint.analysis.trace.nodes import Nodes
from ddplint.analysis.trace.presence import Presence
from ddplint.knowledge import Knowledge
from ddplint.project.modules import Module, Project
from ddplint.project.visits import Visits
from ddplint.source.file import SourceFile
from ddplint.util.budget import SPENT, is_spent

if TYPE_CHECKING:
    from typing_extensions import Unpack


R = TypeVar("R", bound=Record)


class WalkLimit(Exception):
    """The walk grew past its hard budget; the text says which."""


class Interpreter:
    """One walk: its state, its call stack, what it has seen. ``run`` methods live in the sibling modules."""

    def __init__(
        self,
        project: Project,
        knowledge: Knowledge,
        evaluators: Mapping[type, Callable[[Interp, Any], Value]],
        handlers: Mapping[type, Callable[[Interp, Any], None]],
        semantics: Semantics,
        models: Models,
    ) -> None:
        self.semantics = semantics
        self.models = models
        self.evaluators = evaluators
        self.handlers = handlers
        self.project = project
        self.knowledge = knowledge
        self.state = State()
        self.frames: list[CallFrame] = []
        self.guards: tuple[Guard, ...] = ()
        self.locals: tuple[Varying, ...] = ()
        self.loops: list[Loop_] = []
        self.around: tuple[LoopFrame, ...] = ()
        self.tries: list[Try_] = []
        self.parents: dict[int, int | None] = {}
        self.lasting: set[int] = set()
        """Scopes whose names somebody may ask for after their function has ended: something was defined in them."""
        self.events: list[Event] = []
        self.limits: list[str] = []
        self.steps = 0
        self.distributed = False
        self.quiet = 0
        self.tolerant = 0
        self.alone = 0
        """How many of the calls that led here said that there is one process."""
        self.risks = Risks()
        self.records: dict[type[Record], Record] = {}
        """What features note, each in a record of its own (:class:`Record`)."""
        self.spoken = self.risks.so_far()
        self.presence = Presence()
        self.ids = count(1)
        self.order = count()
        self.owners: dict[object, int] = {}
        self.parts: dict[object, list[Symbol]] = {}
        """Attributes of objects that are not known, by those objects, where something was set in them."""
        self.loaded: set[int] = set()
        self.followed = 0
        self.soft_steps = limits.SOFT_STEPS
        self.defined: list[Function] = []
        self.called: set[int] = set()
        self.visits = Visits()
        self.tail: Tail | None = None
        self.homes: dict[int, SourceFile] = {}
        self.marks: set[tuple[str, int]] = set()
        self.total = 0
        self.home: Module | None = None
        self.everyone = EVERYONE

    def record(self, kind: type[R]) -> R:
        """What a feature notes beside the store."""
        found = self.records.get(kind)
        if found is None:
            found = self.records[kind] = kind()
        return cast(R, found)

    def begin_entry(self) -> None:
        """An entry is about to be walked: nothing has happened yet, and it is inside nothing."""
        self.events, self.limits, self.steps, self.state.trace = [], [], 0, []
        self.guards, self.locals, self.loops, self.tries, self.tolerant, self.around = (), (), [], [], 0, ()

    def forget_entry(self) -> None:
        """An entry has been walked: what was noted for it alone goes."""
        self.records = {kind: one for kind, one in self.records.items() if kind.life is not Life.ENTRY}

    # -- frames and scopes -------------------------------------------------------------------------------------------

    @property
    def frame(self) -> CallFrame:
        return self.frames[-1]

    def new_scope(self, parent: int | None) -> int:
        """A new namespace inside ``parent``."""
        scope = next(self.ids)
        self.parents[scope] = parent
        return scope

    def keep_scopes(self) -> None:
        """Something is defined here that may outlive the function."""
        scope: int | None = self.frame.scope
        while scope is not None and scope not in self.lasting:
            self.lasting.add(scope)
            scope = self.parents.get(scope)

    def owner(self, of: object) -> int:
        """The store key of something that has attributes but no id of its own (an unknown object)."""
        found = self.owners.get(of)
        if found is None:
            found = self.owners[of] = next(self.ids)
            if isinstance(of, Attr):
                self.parts.setdefault(of.base, []).append(of)
        return found

    stack = recording.stack
    here = recording.here
    origin = recording.origin
    trail = recording.trail

    def tick(self) -> None:
        """Count a step; past the hard limit, or when the time for the file is used up, the walk ends."""
        self.steps += 1
        if self.steps > limits.HARD_STEPS:
            raise WalkLimit("step budget used up")
        if is_spent(self.steps):
            raise WalkLimit(SPENT)

    @property
    def tired(self) -> bool:
        """Past the soft limit calls are no longer followed."""
        return self.steps > self.soft_steps

    def limit(self, text: str) -> None:
        if text not in self.limits:
            self.limits.append(text)

    # -- events ------------------------------------------------------------------------------------------------------

    emit = recording.emit
    operate = recording.operate

    # -- truth and branching -----------------------------------------------------------------------------------------

    truth = branching.truth
    plain_attribute = branching.plain_attribute
    truth_of_unknown = branching.truth_of_unknown
    branch = branching.branch
    fork_choice = branching.fork_choice
    split = branching.split
    on_ranks = branching.on_ranks
    guard = recording.guard

    # -- values ------------------------------------------------------------------------------------------------------

    lift = lifting.lift

    def container(self, kind: str, items: Sequence[Value] | None, local: Varying | None = None) -> Container:
        """A new list, set or dict-like thing; ``items`` None means unknown content (rank-local if ``local``)."""
        new = Container(next(self.ids), kind)
        if kind == "list":
            self.state.lists.add(new.id)
        self.record(MadeIn).loops[new.id] = len(self.around)
        content: Value = local or Unknown(fresh("content"))
        if items is not None and kind == "dict":
            content = Tuple(tuple(self._entry(new, pair) for pair in items))
        elif items is not None:
            content = Tuple(tuple(items))
        self.state.write((new.id, ""), content)
        return new

    def _entry(self, new: Container, pair: Value) -> Value:
        """A dict's entry: the key alone where it is constant (its value gets a place of its own), else the pair."""
        assert isinstance(pair, Tuple)
        key, value = pair.items
        if not isinstance(key, Const):
            return pair
        self.state.write((new.id, f"[{key.value!r}]"), value)
        return key

    def instance(self, cls: Class) -> Instance:
        new = Instance(next(self.ids), cls)
        if not self.quiet:
            self.record(Made).note(new, self.state.path)
        return new

    def external_object(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], site: object) -> Object:
        if isinstance(site, cst.CSTNode):
            self.homes[id(site)] = self.frame.module.file
        return Object(name, next(self.ids), tuple(args), tuple(kwargs.items()), site)

    def saved(self, **held: Unpack[Held]) -> Saved:
        """A block in which this is so (:class:`~ddplint.analysis.memory.frames.Held`); afterwards it is as before."""
        return Saved(self, held)

    def trace_of(self, run: Callable[[], object]) -> Nodes:
        """The nodes that ``run`` appends, taken out of the trace."""
        before = self.state.trace
        self.state.trace = []
        try:
            run()
            return self.state.trace
        finally:
            self.state.trace = before

"""The walker: runs a program on paper, once, with all ranks in step.

This module holds the machinery (frames, branching, events); what each expression, statement, call and external API
means lives in the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import libcst as cst

from ddplint.analysis.domain.facts import Event, Frame, Guard, LoopFrame, Origin, Reason
from ddplint.analysis.domain.join import by_rank, first_choice, may_be_alike, project, shared_choice, trail_of
from ddplint.analysis.domain.likeness import as_one
from ddplint.analysis.domain.provenance import (
    counters_in,
    is_asked_of,
    is_drawn_name,
    is_empty_alike,
    is_guess,
    is_hearsay,
    is_output,
    is_own,
    is_passed_on,
    may_be_name,
)
from ddplint.analysis.domain.symbols import Symbol, fresh, measured, symbol, turn_of
from ddplint.analysis.domain.values import (
    EVERYONE,
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    Container,
    Either,
    External,
    Instance,
    Object,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
    ranks_of,
    set_of,
)
from ddplint.analysis.memory import filling, presence
from ddplint.analysis.memory.risks import Risks
from ddplint.analysis.memory.store import ALONE, FEWER, NARROWED, Assumptions, State
from ddplint.analysis.models import devices
from ddplint.analysis.trace.nodes import EXITS, Choice, Kinds, Local, Nodes, Op, Split, leaves_by, only_raises, takes
from ddplint.project.visits import Visits
from ddplint.util.budget import SPENT, is_spent

if TYPE_CHECKING:
    from ddplint.analysis.domain.values import Class, Deferred, Function, Wrapped
    from ddplint.analysis.memory.store import Arm
    from ddplint.analysis.models.learned import Own
    from ddplint.analysis.openworld.stand_ins import Promise
    from ddplint.analysis.summaries.call_budget import Cost
    from ddplint.knowledge import Api, Knowledge
    from ddplint.project.modules import Module, Project
    from ddplint.source.file import SourceFile

Run = Callable[[], "Value | None"]

LONG_STEPS = 60_000
SOFT_STEPS = 200_000
HARD_STEPS = 400_000
FILE_STEPS = 800_000
MAX_DEPTH = 40
_LOOPS = ("for", "comprehension")
MAX_MODULES = 60


class WalkLimit(Exception):
    """The walk grew past its hard budget; the text says which."""


@dataclass(slots=True)
class Loop_:
    """Exits collected while a round of a loop is walked; the unknown numbers of the round.

    ``done``: the ranks that the test of a ``while`` ended; ``turns``: the conditions under which each rank has had its
    turn, in this round or an earlier one.
    """

    breaks: int = 0
    continues: int = 0
    done: int = 0
    counters: frozenset[Symbol] = frozenset()
    turns: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Try_:
    """The handlers of an enclosing ``try``, the ranks whose ``raise`` each of them caught, and what held there.

    ``depth``: on how many things ranks have decided for themselves on the way to it. ``taken``: who came to a handler
    on which path, as long as none decided for itself to do so (``own``).
    """

    handlers: list[Kinds]
    caught: list[int]
    depth: int = 0
    paths: dict[int, Assumptions] = field(default_factory=dict)
    taken: dict[int, list[tuple[int, Assumptions]]] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)

    def take(self, raised: Kinds, mask: int, path: Assumptions, decided: int) -> bool:
        """Whether a handler takes what these ranks raise on a path; it is noted."""
        for number, kinds in enumerate(self.handlers):
            if takes(kinds, raised):
                self.caught[number] |= mask
                known = self.paths.get(number)
                self.paths[number] = path if known is None else known.common(path)
                self.taken.setdefault(number, []).append((mask, path))
                if decided > self.depth:
                    self.own.add(number)
                return True
        return False


@dataclass(slots=True)
class Return_:
    """One way out of a function: who, under what, with which value."""

    mask: int
    literals: tuple[tuple[Symbol, bool], ...]
    local: Varying | None
    value: Value


@dataclass(slots=True)
class CallFrame:
    """An activation of a function (or a module's body)."""

    module: Module
    function: str
    scope: int
    call: cst.CSTNode | None
    callee: Function | None = None
    receiver: Value | None = None
    owner: Class | None = None
    returns: list[Return_] = field(default_factory=list)
    outer_names: dict[str, int] = field(default_factory=dict)
    known: Assumptions = field(default_factory=Assumptions)
    locals_depth: int = 0
    on_yield: Callable[[Value], Value] | None = None
    callers: tuple[Frame, ...] | None = None
    """The calls that led here, once somebody has asked."""
    then: str = ""
    """What the framework does with what is returned that calls this (:func:`framework_hooks.follow`)."""


@dataclass(slots=True)
class Tail:
    """A call of which the result is returned as it is: ``then`` follows on the callee's returns, if it is ``taken``."""

    node: cst.CSTNode
    then: str
    taken: bool = False


class Walker:
    """One walk: its state, its call stack, what it has seen. ``run`` methods live in the sibling modules."""

    def __init__(
        self,
        project: Project,
        knowledge: Knowledge,
        evaluators: Mapping[type, Callable[[Walker, Any], Value]],
        handlers: Mapping[type, Callable[[Walker, Any], None]],
    ) -> None:
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
        self.shards: dict[Value, Trail] = {}
        """Iterables that are known to be each rank's own, because a data-parallel model is trained on them."""
        self.several: set[Symbol] = set()
        """Unknown numbers that are how many processes there are."""
        self.counted: dict[Symbol, Own] = {}
        """What is added up over the ranks or learnt from, and where."""
        self.shared_out: set[Symbol] = set()
        """Unknown numbers of which each rank takes its own, as ``if index % world_size != rank: continue`` does."""
        self.risks = Risks()
        self.presence = presence.Presence()
        self.supplied: set[tuple[int, str]] = set()
        self.own_methods: dict[tuple[int, str], bool] = {}
        self.answers: dict[tuple[object, ...], Value] = {}
        self.costs: dict[int, Cost] = {}
        """Functions that take many steps and only compute, by their keys."""
        self.begins: cst.CSTNode | None = None
        """The call of the loop that is walked which starts a process as each of the ranks."""
        self.ids = count(1)
        self.order = count()
        self.owners: dict[object, int] = {}
        self.parts: dict[object, list[Symbol]] = {}
        """Attributes of objects that are not known, by those objects, where something was set in them."""
        self.loaded: set[int] = set()
        self.followed = 0
        self.max_modules = MAX_MODULES
        self.functions: dict[int, int] = {}
        self.without_grad: set[int] = set()
        self.caching: set[int] = set()
        """Functions that keep their results, by their keys."""
        self.defined: list[Function] = []
        self.classes: list[Class] = []
        self.called: set[int] = set()
        self.visits = Visits()
        self.rounds: dict[Instance, Varying | None] = {}
        self.aside = 0
        self.tail: Tail | None = None
        self.homes: dict[int, SourceFile] = {}
        self.escaped: list[Value] = []
        self.contexts: dict[int, Api] = {}
        self.bare: dict[Value, Wrapped] = {}
        self.changed: dict[Value, list[tuple[Assumptions, Wrapped]]] = {}
        """What modules have become that a call wrapped in place, and the way on which it did."""
        self.trained: dict[int, Wrapped] = {}
        """The wrapped models that were called with gradients, by their numbers."""
        self.marks: set[tuple[str, int]] = set()
        self.makers: dict[int, bool] = {}
        """Whether code that asks for the process group makes it itself (by its node)."""
        self.columns: dict[int, tuple[bool, ...] | None] = {}
        self.annotations: dict[int, dict[str, cst.BaseExpression]] = {}
        self.kinds: dict[Symbol, str] = {}
        """The classes of unknown objects, as what they were given to says."""
        self.promised: dict[Symbol, Promise] = {}
        """What annotations say of unknown objects."""
        self.picked: dict[Symbol, tuple[Value, ...]] = {}
        """The classes that something under a name that is not known may be."""
        self.one_of: dict[Symbol, tuple[Value, ...]] = {}
        """The classes of one of which an unknown object is."""
        self.imagined: set[int] = set()
        """The objects of project classes that the program does not make, but that somebody will."""
        self.stood_in = 0
        """How many objects stand in for such objects."""
        self.made_in: dict[int, int] = {}
        """In how many loops each container was made."""
        self.made: dict[int, Instance] = {}
        self.apart = False
        """Whether functions are entered from nowhere: the beginning of the program has been walked."""
        self.bodies: list[Module] = []
        self.by_signal: dict[tuple[int, str], Varying] = {}
        """What signal handlers set, where the program has installed them."""
        self.wrapped_later: dict[tuple[int, str], Value] = {}
        """What methods put into the place of the model that they wrap."""
        self.signalled: dict[int, str] = {}
        """The functions that were given to ``signal.signal``: their keys and names."""
        self.set_later: dict[int, frozenset[str]] = {}
        self.filled_later: dict[int, frozenset[str]] = {}
        """The attributes that the methods of a class set, by its key."""
        self.total = 0
        self.home: Module | None = None
        self.plain: dict[str, Module] = {}
        self.light: set[int] = set()
        self.copies: dict[Symbol, Value] = {}
        self.words = knowledge.prefilter()
        self.resolved: dict[Deferred, Value] = {}
        self.everyone = EVERYONE

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
            if isinstance(of, Symbol) and of.key[0] == "attr":
                self.parts.setdefault(of.key[1], []).append(of)
        return found

    def stack(self, node: cst.CSTNode) -> tuple[Frame, ...]:
        """The call stack as facts, outermost first; the last step is ``node`` in the current function."""
        outer: CallFrame | None = None
        steps: tuple[Frame, ...] = ()
        for inner in self.frames:
            if inner.callers is None:
                inner.callers = steps
                if outer is not None and inner.call is not None:
                    inner.callers = (*steps, Frame(outer.module.file, inner.call, outer.function))
            outer, steps = inner, inner.callers
        return (*steps, self.here(node))

    def here(self, node: cst.CSTNode) -> Frame:
        """A step of the stack in the current function."""
        return Frame(self.frame.module.file, node, self.frame.function)

    def origin(self, node: cst.CSTNode, text: str) -> Origin:
        return Origin(self.frame.module.file, node, text)

    def trail(self, node: cst.CSTNode, text: str, back: Trail | None = None) -> Trail:
        """A provenance link at ``node``."""
        return Trail(self.origin(node, text), back)

    def tick(self) -> None:
        """Count a step; past the hard limit, or when the time for the file is used up, the walk ends."""
        self.steps += 1
        if self.steps > HARD_STEPS:
            raise WalkLimit("step budget used up")
        if is_spent(self.steps):
            raise WalkLimit(SPENT)

    @property
    def long(self) -> bool:
        """Whether so many steps are used up that what is known to speak to nobody is not walked again."""
        return self.steps > LONG_STEPS

    @property
    def tired(self) -> bool:
        """Past the soft limit calls are no longer followed."""
        return self.steps > SOFT_STEPS

    def limit(self, text: str) -> None:
        if text not in self.limits:
            self.limits.append(text)

    # -- events ------------------------------------------------------------------------------------------------------

    def emit(
        self,
        name: str,
        effect: str,
        node: cst.CSTNode,
        *,
        api: Api | None = None,
        args: Sequence[Value] = (),
        kwargs: Mapping[str, Value] | None = None,
        receiver: Value | None = None,
        result: Value | None = None,
        group: str = "",
        label: str = "",
        details: Mapping[str, object] | None = None,
    ) -> Event:
        """Record that the active ranks executed a call."""
        event = Event(
            name=name,
            api=api,
            effect=effect,
            file=self.frame.module.file,
            node=node,
            stack=self.stack(node),
            ranks=set_of(self.state.mask),
            everyone=set_of(self.everyone),
            order=next(self.order),
            args=tuple(args),
            kwargs=dict(kwargs or {}),
            receiver=receiver,
            result=result,
            guards=self.guards,
            group=group,
            label=label or name.rpartition(".")[2],
            details=details or {},
            path=self.state.path.known,
            together=self.state.together(),
            loops=self.around,
            alone=self.alone > 0,
        )
        if not self.quiet:
            self.events.append(event)
        return event

    def operate(
        self, event: Event, kind: str, group: str = "", members: int | None = 0, place: Symbol | None = None
    ) -> None:
        """Append a communication to the trace. ``members`` 0 means the whole world."""
        self.distributed = True
        presence.met(self, members == 0)
        if not self.quiet and self.state.read(ALONE) != TRUE:
            if members == 0 and self.state.read(FEWER) == TRUE:
                members = None
            self.state.trace.append(Op(event, kind, group, members, place))

    # -- truth and branching -----------------------------------------------------------------------------------------

    def truth(self, value: Value) -> bool | Symbol | None:
        """True or False where known, the symbol of a uniform unknown, None for anything that must be taken apart."""
        value = self.state.narrow(value)
        if isinstance(value, Const):
            return bool(value.value)
        if type(value) is Unknown:
            return measured(value.symbol) or value.symbol
        if isinstance(value, Tuple):
            return bool(value.items)
        if isinstance(value, Container):
            content = self.state.read((value.id, ""))
            if isinstance(content, Tuple):
                return bool(content.items)
            return self.truth_of_unknown(value)
        if isinstance(value, Varying) and value.reason is Reason.IDENTITY and is_empty_alike(value.symbol):
            return symbol("truth", value.symbol)
        if isinstance(value, Varying) and may_be_name(value):
            return True if is_drawn_name(value.symbol) else symbol("truth", value.symbol)
        if isinstance(value, Varying) and value.source is not None and is_output(value.symbol):
            return symbol("truth", value.symbol)
        if isinstance(value, (PerRank, Either, Varying)):
            return None
        if isinstance(value, (Bound, External)) and (what := self.plain_attribute(value)) is not None:
            return what
        return True

    def plain_attribute(self, value: Bound | External) -> Symbol | None:
        """What stands for an attribute of an object (or module) that no table knows: it need not be a method."""
        if isinstance(value, External):
            package, _, name = value.name.rpartition(".")
            plain = package and self.knowledge.is_strange(value.name) and (name.islower() or name.isupper())
            return symbol("attr", value) if plain else None
        function, owner = value.function, value.receiver
        if not isinstance(function, External) or not isinstance(owner, Object):
            return None
        if self.knowledge.is_class(owner.name) or self.knowledge.lookup(function.name) is not None:
            return None
        return symbol("attr", owner, function.name.rpartition(".")[2])

    def truth_of_unknown(self, value: Value) -> Symbol:
        """A symbol for the truth of a value of unknown content."""
        return symbol("truth", value, self.owner(("truth", self.state.store.get((value.id, "")))))  # type: ignore[attr-defined]

    def branch(
        self, value: Value, node: cst.CSTNode, statement: cst.CSTNode, kind: str, then: Run, other: Run, depth: int = 0
    ) -> Value | None:
        """Walk ``then`` where ``value`` is true and ``other`` where it is not, each rank or path its own way."""
        state = self.state
        if not state.mask:
            return None
        value = state.narrow(value)
        if isinstance(value, PerRank):
            value = as_one(value)
        if type(value) is Container:
            value = filling.asked(self, value, node)
        known = self.truth(value)
        if isinstance(known, Symbol):
            return self._choose(known, value, node, statement, kind, then, other)
        if known is not None:
            return (then if known else other)()
        if isinstance(value, Either) and value.local is None:
            first, second = value.yes, value.no
            return self._fork_choice(
                value.symbol,
                lambda: self._guard(kind, node, statement, Reason.IDENTITY, None),
                lambda: self.branch(first, node, statement, kind, then, other, depth + 1),
                lambda: self.branch(second, node, statement, kind, then, other, depth + 1),
            )
        if isinstance(value, Either):
            yes, no = value.yes, value.no
            return self._decide(
                value.local or Varying(Reason.DATA, value.symbol),
                node,
                statement,
                kind,
                lambda: self.branch(yes, node, statement, kind, then, other, depth + 1),
                lambda: self.branch(no, node, statement, kind, then, other, depth + 1),
            )
        if isinstance(value, Varying):
            return self._decide(value, node, statement, kind, then, other)
        assert isinstance(value, PerRank)
        if kind == "if" and (choice := first_choice(value)) is not None:
            return self.branch(choice, node, statement, kind, then, other, depth + 1)
        if kind == "if" and (shared := shared_choice(value, [self.truth(one) for one in value.values])) is not None:
            return self.branch(shared, node, statement, kind, then, other, depth + 1)
        return self._part(value, node, statement, kind, then, other, depth)

    def _choose(
        self,
        what: Symbol,
        value: Value,
        node: cst.CSTNode,
        statement: cst.CSTNode,
        kind: str,
        then: Run,
        other: Run,
    ) -> Value | None:
        if what.key[0] == "not" and isinstance(what.key[1], Symbol):
            return self._choose(what.key[1], value, node, statement, kind, other, then)
        known = self.state.path.get(what)
        if known is not None:
            return (then if known else other)()
        return self._fork_choice(what, lambda: self._guard(kind, node, statement, Reason.IDENTITY, None), then, other)

    def _fork_choice(self, what: Symbol, guard: Callable[[], Guard], then: Run, other: Run) -> Value | None:
        known = self.state.path.get(what)
        if known is not None:
            return (then if known else other)()
        mask = self.state.mask
        guards, local = self.guards, self.locals
        first = self.state.arm(mask, (what, True), then)
        self.guards = guards
        second = self.state.arm(mask, (what, False), other)
        self.guards = guards
        self.locals = local
        if first.nodes or second.nodes:
            self.state.trace.append(Choice(what, guard(), first.nodes, second.nodes))
        return self.state.join_choice(what, first, second, self._over(first, second))

    def _over(self, first: Arm, second: Arm) -> Arm | None:
        """The arm of two in which the program ends, if it goes on in the other."""
        over = [not arm.fall and not self.tries and only_raises(arm.nodes) for arm in (first, second)]
        return (first if over[0] else second) if over[0] != over[1] else None

    def _decide(
        self, value: Varying, node: cst.CSTNode, statement: cst.CSTNode, kind: str, then: Run, other: Run
    ) -> Value | None:
        """Each rank decides for itself."""
        guard = self._guard(kind, node, statement, value.reason, value.trail)
        if value.reason is Reason.IDENTITY and is_asked_of(value.symbol):
            guard = replace(guard, guess=True)
        mask, guards, local = self.state.mask, self.guards, self.locals
        what = value.symbol
        flipped = what.key[0] == "not"
        if flipped:
            assert isinstance(what.key[1], Symbol)
            what, then, other = what.key[1], other, then
        known = self.state.path.get(what)
        if known is not None:
            return (then if known else other)()
        self.guards = (*guards, guard)
        self.locals = (*local, value)
        first = self.state.arm(mask, (what, True), then)
        self.guards = (*guards, guard)
        self.locals = (*local, value)
        second = self.state.arm(mask, (what, False), other)
        if first.nodes or second.nodes:
            self.state.trace.append(Local(what, guard, first.nodes, second.nodes, mask))
        exited = bool(first.fall) != bool(second.fall)
        self.guards = (*guards, guard) if exited else guards
        self.locals = (*local, value) if exited else local
        over = self._over(first, second)
        if over is not None:
            self.presence.over[id(guard)] = guard
        return self.state.join_local(value, first, second, over)

    def _part(
        self,
        value: PerRank,
        node: cst.CSTNode,
        statement: cst.CSTNode,
        kind: str,
        then: Run,
        other: Run,
        depth: int,
    ) -> Value | None:
        """Ranks part because of who they are."""
        mask, guards = self.state.mask, self.guards
        groups: dict[object, tuple[int, Value]] = {}
        for rank in ranks_of(mask):
            seen = project(value, rank)
            truth = self.truth(seen) if not isinstance(seen, (Either, Varying)) else None
            if isinstance(truth, Symbol):
                truth = self.state.path.get(truth)
            key: object = truth if isinstance(truth, bool) else seen
            old = groups.get(key)
            groups[key] = ((old[0] if old else 0) | 1 << rank, old[1] if old else seen)
        each = [seen for _, seen in groups.values()]
        if is_own(each):
            return self.branch(each[0], node, statement, kind, then, other, depth + 1)
        self.distributed = True
        self.shared_out |= counters_in(each)
        if kind == "if" and self.loops and self._is_turn(each):
            first = not self.loops[-1].turns & {id(node)}
            self.loops[-1].turns.add(id(node))
            return (then if first else other)()
        guard = self._guard(kind, node, statement, Reason.IDENTITY, value.trail)
        if is_hearsay(each) or may_be_alike(each) or is_passed_on(list(groups.values()), self._reads):
            guard = replace(guard, guess=True)
        if len(groups) == 1:
            (_, seen) = next(iter(groups.values()))
            return self.branch(seen, node, statement, kind, then, other, depth + 1)
        arms = []
        for group, seen in groups.values():
            self.guards = (*guards, guard)
            run = self._arm_of(seen, node, statement, kind, then, other, depth)
            arms.append(self.state.arm(group, None, run))
        self.guards = guards
        if any(arm.nodes for arm in arms):
            self.state.trace.append(Split(guard, [(arm.mask, arm.nodes) for arm in arms]))
        result = self.state.join_split(arms, value.trail, guard)
        seen_by = (seen for _, seen in groups.values())
        kinds = EXITS if self.tries else EXITS - {"raise"}  # where a rank raises the job ends
        unsure = any(
            isinstance(seen, Unknown) and leaves_by(arm.nodes, kinds) for seen, arm in zip(seen_by, arms, strict=True)
        )
        if self.state.mask and (unsure or self.state.mask != mask):
            self.guards = (*guards, replace(guard, guess=True) if unsure else guard)
        return result

    def _held(self, value: Value) -> Value:
        """A value, or what nobody knows of it where it is a list or set of unknown content."""
        content = self.state.read((value.id, "")) if isinstance(value, Container) else None
        return content if isinstance(content, (Unknown, Varying)) else value

    def _reads(self, name: str) -> bool:
        """Whether a call of this name gives what a file holds."""
        row = self.knowledge.lookup(name)
        return row is not None and row.effect == "read"

    def _is_turn(self, seen: Sequence[Value]) -> bool:
        """Whether each rank waits for the round that bears its number, or names it: it has its turn in one of them."""
        numbers = [turn_of(value.symbol, self.loops[-1].counters) for value in seen if isinstance(value, Unknown)]
        return len(numbers) == len(seen) > 1 and numbers[0] is not None and len(set(numbers)) == 1

    def _arm_of(
        self, seen: Value, node: cst.CSTNode, statement: cst.CSTNode, kind: str, then: Run, other: Run, depth: int
    ) -> Run:
        return lambda: self.branch(seen, node, statement, kind, then, other, depth + 1)

    def split(self, by: Value, node: cst.CSTNode, kind: str, run: Callable[[Value], Value | None]) -> Value | None:
        """Run ``run`` once for each different thing the active ranks (or paths) see in ``by``."""
        by = self.state.narrow(by)
        if isinstance(by, Either) and by.local is not None:
            yes, no = by.yes, by.no
            return self._decide(
                by.local,
                node,
                node,
                kind,
                lambda: self.split(yes, node, kind, run),
                lambda: self.split(no, node, kind, run),
            )
        if isinstance(by, Either):
            first, second = by.yes, by.no
            return self._fork_choice(
                by.symbol,
                lambda: self._guard(kind, node, node, Reason.IDENTITY, None),
                lambda: self.split(first, node, kind, run),
                lambda: self.split(second, node, kind, run),
            )
        if not isinstance(by, PerRank):
            return run(by)
        groups: dict[Value, int] = {}
        for rank in ranks_of(self.state.mask):
            seen = project(by, rank)
            groups[seen] = groups.get(seen, 0) | 1 << rank
        if len(groups) == 1:
            return self.split(next(iter(groups)), node, kind, run)
        guard = self._guard(kind, node, node, Reason.IDENTITY, by.trail)
        if kind in _LOOPS and (is_guess(each := list(map(self._held, groups))) or is_hearsay(each)):
            guard = replace(guard, guess=True)
        guards, arms = self.guards, []
        for seen, group in groups.items():
            self.guards = (*guards, guard)
            arms.append(self.state.arm(group, None, lambda seen=seen: self.split(seen, node, kind, run)))  # type: ignore[misc]
        self.guards = guards
        if any(arm.nodes for arm in arms):
            self.state.trace.append(Split(guard, [(arm.mask, arm.nodes) for arm in arms]))
        return self.state.join_split(arms, by.trail, guard)

    def on_ranks(self, ranks: Sequence[bool], trail: Trail | None, node: cst.CSTNode, kind: str, run: Run) -> Value:
        """Run something on some ranks only; the others get None."""
        chosen = PerRank(tuple(TRUE if yes else FALSE for yes in ranks), trail)
        return self.branch(chosen, node, node, kind, run, lambda: NONE) or NONE

    def _guard(
        self, kind: str, node: cst.CSTNode, statement: cst.CSTNode, reason: Reason, trail: Trail | None
    ) -> Guard:
        return Guard(
            kind=kind,
            file=self.frame.module.file,
            node=node,
            statement=statement,
            reason=reason,
            origins=trail.links() if trail else (),
            function=self.frame.function,
            depth=len(self.frames),
        )

    # -- values ------------------------------------------------------------------------------------------------------

    def lift(self, node: cst.CSTNode, compute: Callable[..., Value], *values: Value) -> Value:
        """Apply ``compute`` to each alternative the active ranks or paths see in ``values``."""
        for value in values:
            if type(value) in NARROWED:
                break
        else:
            return compute(*values)
        narrowed = [self.state.narrow(value) for value in values]
        for index, value in enumerate(narrowed):
            if type(value) is PerRank:
                return self._lift_ranks(node, compute, narrowed)
            if type(value) is Either:
                return self._lift_either(node, compute, narrowed, index, value)
        return compute(*narrowed)

    def _lift_ranks(self, node: cst.CSTNode, compute: Callable[..., Value], values: list[Value]) -> Value:
        groups: dict[tuple[Value, ...], int] = {}
        results: list[Value] = [UNBOUND] * 4
        back = next((t for value in values if (t := trail_of(value)) is not None), None)
        mask = self.state.mask
        for rank in ranks_of(mask):
            seen = tuple(project(value, rank) for value in values)
            groups[seen] = groups.get(seen, 0) | 1 << rank
        try:
            for seen, group in groups.items():
                self.state.mask = group
                found = self.lift(node, compute, *seen)
                for rank in ranks_of(group):
                    results[rank] = found
        finally:
            self.state.mask = mask
        result = by_rank(results, self.trail(node, "", back))
        devices.note_name(self, node, values, result)
        return result

    def _lift_either(
        self, node: cst.CSTNode, compute: Callable[..., Value], values: list[Value], index: int, value: Either
    ) -> Value:
        from ddplint.analysis.domain.join import either, parted

        sides: list[Value] = []
        path = self.state.path
        for known, side in ((True, value.yes), (False, value.no)):
            self.state.path = path.add(value.symbol, known)
            sides.append(self.lift(node, compute, *values[:index], side, *values[index + 1 :]))
        self.state.path = path
        if value.local is not None:
            return parted(value.local, sides[0], sides[1])
        return either(value.symbol, sides[0], sides[1])

    def container(self, kind: str, items: Sequence[Value] | None, local: Varying | None = None) -> Container:
        """A new list, set or dict-like thing; ``items`` None means unknown content (rank-local if ``local``)."""
        new = Container(next(self.ids), kind)
        self.made_in[new.id] = len(self.around)
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
            self.made.setdefault(cls.key, new)
        return new

    def external_object(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], site: object) -> Object:
        if isinstance(site, cst.CSTNode):
            self.homes[id(site)] = self.frame.module.file
        return Object(name, next(self.ids), tuple(args), tuple(kwargs.items()), site)

    def trace_of(self, run: Callable[[], object]) -> Nodes:
        """The nodes that ``run`` appends, taken out of the trace."""
        before = self.state.trace
        self.state.trace = []
        try:
            run()
            return self.state.trace
        finally:
            self.state.trace = before

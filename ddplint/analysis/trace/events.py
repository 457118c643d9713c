"""What a walk reports to the rules: operations, calls, divergences; and what each of them can tell by itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypedDict

import libcst as cst

from ddplint.analysis.domain.effects import Effect, Effects
from ddplint.analysis.domain.origins import Guard, Origin, Reason
from ddplint.analysis.domain.outcome import DivergenceKind, Outcome
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Const, Function, Tuple, Value, Varying, Wrapped
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.paths import Path
from ddplint.analysis.trace.targets import is_path
from ddplint.knowledge import Api, Arg
from ddplint.knowledge.rows import Wraps
from ddplint.source.calls import argument, starred
from ddplint.source.file import SourceFile
from ddplint.util.budget import Watched
from ddplint.util.frozen import frozen

if TYPE_CHECKING:
    from ddplint.analysis.trace.presence import Presence
    from ddplint.project.index.queries import Index

Ranks = frozenset[int]

_LONG_NAME = 40
"""Characters of a name that a message can still hold."""


@frozen(eq=False)
class Frame:
    """One step of a call stack: ``node`` (a call, or the first node of an entry) inside ``function`` of ``file``."""

    file: SourceFile
    node: cst.CSTNode
    function: str

    @property
    def call(self) -> cst.Call | None:
        """The call; ``None`` for the first step of an entry, and for what calls without being one (a decorator)."""
        return self.node if isinstance(self.node, cst.Call) else None


@frozen(eq=False)
class LoopFrame:
    """A loop that runs around something: ``node`` (``for``, ``while``, a comprehension) in ``function`` of ``file``.

    ``source`` is what it iterates over (``None`` for ``while``), ``depth`` the number of activations on the call stack.
    """

    file: SourceFile
    node: cst.CSTNode
    function: str
    source: Value | None = None
    depth: int = 0


class Details(TypedDict, total=False):
    """Details of an event. Which there are hangs on its effect.

    Files: ``path``; ``target``, of a move, copy or link; ``mode`` and ``handle``, of what is open; ``content``, what
    else the call is given; ``command``, the words of a program that is started.

    Collectives: ``members`` of the group as a bit mask (``None``: not known), ``ranks`` of a new group and the key it
    ``makes``, ``devices``, what is ``agreed`` if it gives all ranks the same; ``passes_inside``, passes of a model.
    Saves: ``sharded``, parts of the model are on several ranks.
    Passes: ``wrapped``, the model behind a wrapper; ``engine``, it steps by itself; ``buffers``, whether it hands any
    out (``None``: not known); ``no_grad``; ``no_sync``; ``handed_back``, where a wrapped model was made that was lost.
    Of a part of a model: ``parts``, the numbers of what is used or frozen (of a wrapper, or an optimizer: of what it is
    given); ``added``, in place of nothing; ``pass_number`` and ``depth`` of its pass. ``units``: by part the unit that
    a wrapper makes of it; ``never_run``, that has no forward; ``plain``, it passes nothing on. A step: ``optimizer``.
    Loops: ``loop`` (``None``: a call of ``iter``), ``unordered``, over a set. Loaders: ``data_class`` of the data set,
    whether it is ``parted`` by rank, the classes ``within`` it. Generators that get loaders: ``file``, ``function``,
    ``given`` by parameter. Shares and samplers: ``order`` that each rank drew. Seeds: ``alike`` on all ranks.
    ``raise``: ``caught``, a handler waits for it. Context managers: ``manager``, one that gives nothing. What is not
    set: ``what`` is read, the ranks that are ``lacking`` it, the ``error``, ``origins`` of the condition, and ``set``,
    where the others set it. Of any: ``imagined``, in making an object as callers have made one, for a method.
    """

    path: Value | None
    target: Value | None
    mode: Value | None
    handle: Value | None
    content: tuple[Value, ...]
    command: tuple[Value, ...]
    members: int | None
    ranks: Value | None
    makes: str
    devices: Tuple
    agreed: Symbol
    sharded: bool
    wrapped: Wrapped | None
    passes_inside: bool
    engine: bool
    buffers: bool | None
    never_run: bool
    plain: bool
    no_grad: bool
    no_sync: bool
    pass_number: int
    depth: int
    parts: frozenset[int]
    added: bool
    units: Mapping[int, int]
    optimizer: Value | None
    handed_back: Frame
    loop: LoopFrame | None
    unordered: bool
    data_class: tuple[SourceFile, cst.ClassDef] | None
    parted: bool
    within: tuple[tuple[SourceFile, cst.ClassDef], ...]
    file: SourceFile
    function: cst.FunctionDef | cst.Lambda
    given: Mapping[str, Value]
    order: Varying | None
    alike: bool
    caught: bool
    imagined: bool
    manager: Function
    what: cst.BaseExpression
    lacking: tuple[int, ...]
    error: str
    origins: tuple[Origin, ...]
    set: Guard | None


@frozen(eq=False)
class Event:
    """A call (or statement) that was executed, by which ranks, with which arguments.

    ``api`` is the knowledge row (``None`` for calls no table knows), ``name`` its full dotted name. ``stack`` is
    outermost first; the last frame holds the call itself (``node``). ``ranks`` are those of the four walked ranks
    that executed it; ``everyone`` the ranks that were alive and could have (all, at the entry). ``guards`` are the
    conditions that parted the ranks on the way, outermost first. ``order`` counts up in program order. ``effect``:
    what it does. ``path`` is what the walk took for granted on its way here; ``together`` also what must hold for all
    of ``ranks`` to be here in one run (some leave where the program is distributed). ``loops`` are the loops it ran
    inside, across calls, outermost first; an event ``iterate`` is the beginning of a loop over ``receiver``, and
    ``details["loop"]`` that loop (``None``: a call of ``iter``). ``alone``: a call on the way said that there is one
    process. ``drawn``: a loader does it to make an element, ``by_worker`` in a process of its own.
    """

    name: str
    api: Api | None
    effect: Effect
    file: SourceFile
    node: cst.CSTNode
    stack: tuple[Frame, ...]
    ranks: Ranks
    everyone: Ranks
    order: int
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)
    receiver: Value | None = None
    result: Value | None = None
    guards: tuple[Guard, ...] = ()
    group: str = ""
    label: str = ""
    details: Details = field(default_factory=Details)
    path: Mapping[Symbol, bool] = field(default_factory=dict)
    together: Mapping[Symbol, bool] = field(default_factory=dict)
    loops: tuple[LoopFrame, ...] = ()
    alone: bool = False
    drawn: bool = False
    by_worker: bool = False

    @property
    def by_all(self) -> bool:
        """Whether every rank that could does it."""
        return self.ranks == self.everyone

    @property
    def by_some(self) -> bool:
        """Whether only some ranks do it, because of who they are."""
        return not self.by_all and any(guard.reason is Reason.IDENTITY for guard in self.guards)

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """The value of an argument, by keyword or else by position from 0; ``None`` where it was not given."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[position] if position is not None and position < len(self.args) else None

    def given(self, keyword: str, position: int | None = None) -> cst.BaseExpression | None:
        """The expression for an argument by keyword or position; ``None`` where the call does not give it by itself."""
        call = self.call
        return argument(call, keyword, position if not starred(call) else None) if call is not None else None

    @property
    def call(self) -> cst.Call | None:
        """The call that it is; ``None`` for a statement, and for an operator or a loop that calls something."""
        return self.node if isinstance(self.node, cst.Call) else None

    def model_behind(self, *kinds: Wraps) -> Wrapped | None:
        """The wrapped model whose pass it is, if its wrapper is of one of these kinds."""
        model = self.details.get("wrapped")
        return model if isinstance(model, Wrapped) and model.api.wraps in kinds else None

    def makes(self, *kinds: Wraps) -> bool:
        """Whether a model is put behind a wrapper of one of these kinds."""
        return self.effect == Effect.CONSTRUCT and self.api is not None and self.api.wraps in kinds

    def has(self, arg: Arg) -> bool:
        """Whether an argument was given and may be true."""
        value = arg.of(self.args, self.kwargs)
        return value is not None and not (isinstance(value, Const) and not value.value)

    @property
    def callee(self) -> str:
        """What is called, as the file says it: ``torch.save``, ``self.tokenizer.save_pretrained``."""
        if (function := getattr(self.node, "func", None)) is None:
            return self.label
        text = " ".join(self.file.module.code_for_node(function).split())
        return text if len(text) <= _LONG_NAME else f"…{text.rpartition('.')[2]}"

    @property
    def target(self) -> Value | None:
        """The path that it writes, creates, removes or moves to; ``None`` where that is not known or not a file."""
        path = self._target()
        return path if is_path(path) else None

    def _target(self) -> Value | None:
        return self.details.get("target") or self.details.get("path")

    def written(self, rank: int) -> Path:
        """The path that a rank writes, creates, removes or moves to, name by name."""
        return paths.path_of(self._target(), rank)

    def looked_at(self, rank: int) -> Path:
        """The path that a rank reads, lists, removes or moves away; of a pattern, the folder that is searched."""
        path = paths.path_of(self.details.get("path"), rank)
        return paths.folder_of(path) if self.effect == Effect.LIST else path

    def ways_looked_at(self, rank: int, known: Mapping[Symbol, bool]) -> Iterator[Path]:
        """The same, or each of those it may be one of where that is ``known``: the best so far, say."""
        asked = self.details.get("path")
        for way in paths.ways(asked, rank, known):
            yield self.looked_at(rank) if way is asked else paths.path_of(way, rank)

    def changed(self, rank: int) -> frozenset[Path]:
        """Every path whose state a rank may change with it."""
        touched = (self.details.get("target"), self.details.get("path"))
        return frozenset[Path]().union(*(paths.all_paths(path, rank) for path in touched))

    def finds(self, path: Path, rank: int) -> bool:
        """Whether a listing, by a pattern perhaps, may give a path."""
        listed = paths.path_of(self.details.get("path"), rank)
        pattern = self.api.pattern.of(self.args, self.kwargs) if self.api is not None else None
        if listed and pattern is not None:
            listed = (*listed, *paths.path_of(pattern, rank))
        return paths.fits(path, listed)

    def agrees_with(self, other: Event) -> bool:
        """Whether both may happen in one run: no unknown is taken to be true on one path and false on the other."""
        return uniformity.agree(self.path, other.path)

    @property
    def depends_on_a_part(self) -> bool:
        """Whether a condition that the walk could not follow may say which ranks come here."""
        return uniformity.depends_on_a_part(self.path)


@frozen(eq=False)
class Side:
    """One side of a divergence: ``ranks`` next do ``event`` (``None``: they reach the end)."""

    ranks: tuple[int, ...]
    event: Event | None
    label: str = ""


@frozen(eq=False)
class Meeting:
    """What an operation meets: ``outcome``, and where that is ``SHIFTED``, the first two that no longer go together.

    ``last``: what each side does there, the side of the operation first; ``None`` for one that has come to its end.
    ``ends``: how it ends there; ``None`` where that was not seen, or there is nothing that shifts. ``kind``: what must
    go together with its like (``barrier``, ``all_reduce``, ``forward``, ``backward``).
    """

    outcome: Outcome
    kind: str = ""
    last: tuple[Event | None, Event | None] = (None, None)
    ends: Outcome | None = None


@frozen(eq=False)
class Divergence:
    """The first difference between the traces of two groups of ranks, and why.

    ``sides[0]`` is the side that enters the operation the finding is about (the guarded one);
    ``sides[1]`` is what the others do meanwhile. ``anchor`` is the place to report: the call, in the function that
    holds the guard, that leads to the operation; ``others`` are the further operations that only the same side reaches
    behind the guard; ``leaving`` is the ``return`` (or the like) by which the other side goes, if it does.
    ``doubtful``: the walk came to its limit, and what was no longer followed may say otherwise; or ranks had only
    perhaps parted before.
    ``meeting``: what becomes of the operation at run time.
    """

    kind: DivergenceKind
    guard: Guard
    sides: tuple[Side, Side]
    anchor: Frame
    others: tuple[Frame, ...] = ()
    leaving: Frame | None = None
    doubtful: bool = False
    meeting: Meeting = Meeting(Outcome.WAITS)

    @property
    def event(self) -> Event:
        """The operation that the finding is about."""
        assert self.sides[0].event is not None
        return self.sides[0].event

    @property
    def ranks(self) -> tuple[int, ...]:
        """Who enters it."""
        return self.sides[0].ranks


ONE_OF_ALL = frozenset({"zero", "local_zero"})
"""The ranks of a hook that one rank runs, or one of each node."""


@dataclass(eq=False)
class Walk:
    """Everything one simulated program (one entry point) did.

    ``hook``: where a framework calls the entry, the ranks it does so on (``all``, ``zero``, ``local_zero``).
    ``begun``: how the object whose method the entry is began the distributed run when it was made. ``lineage``: the
    class of that object and its bases in the project. ``handlers``: the functions that were given to
    ``signal.signal``, which every rank runs when the job is asked to end. ``among_many``: a file that imports this one
    knows of other ranks, or, where a framework calls the entry on all ranks, another one of the folder in its package.
    ``index``: what the project defines and calls. ``presence``: who reaches which statement, in this walk and the
    others of the file. ``uncalled``: nothing in the project names the entry, though a script of it comes to the file.
    ``cut``: some of it was not followed, so that what is not among the events may happen all the same. ``unfinished``:
    the walk or its comparison came to the end of the work it may do, so that a coarser one may see more.
    ``elsewhere``: whether a program of the project makes the object whose method the entry is, and its walk did not
    come to this method, or code outside its class calls it.
    """

    file: SourceFile
    entry: str
    events: list[Event] = field(default_factory=list)
    divergences: list[Divergence] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    distributed: bool = False
    hook: str = ""
    begun: tuple[Event, ...] = ()
    lineage: tuple[cst.ClassDef, ...] = ()
    handlers: frozenset[str] = frozenset()
    cut: bool = False
    among_many: bool = False
    presence: Presence | None = None
    uncalled: bool = False
    unfinished: bool = False
    elsewhere: Callable[[], bool] = bool
    index: Index | None = None
    _by_effects: dict[Effects, tuple[list[int], list[Event]]] = field(default_factory=dict, init=False, repr=False)

    def knows_of_ranks(self, file: SourceFile) -> bool:
        """Whether somebody has written a file who knows of other ranks."""
        return self.index is not None and self.index.is_for_several(file)

    def doing(self, *effects: Effect) -> Sequence[Event]:
        """The events with one of these effects, in their order."""
        return self._numbered(frozenset(effects))[1]

    def after(self, number: int, effects: Effects) -> Iterator[Event]:
        """Those of them that stand behind ``events[number]``."""
        numbers, found = self._numbered(effects)
        return islice(found, bisect_right(numbers, number), None)

    def before(self, number: int, effects: Effects) -> Iterator[Event]:
        """Those of them that stand before it."""
        numbers, found = self._numbered(effects)
        return islice(found, bisect_left(numbers, number))

    def _numbered(self, effects: Effects) -> tuple[list[int], list[Event]]:
        """Worked out once: most questions are about a few of many events."""
        if effects not in self._by_effects:
            found = [(number, event) for number, event in enumerate(self.events) if event.effect in effects]
            self._by_effects[effects] = [number for number, _ in found], Watched(event for _, event in found)
        return self._by_effects[effects]

    @property
    def is_of_a_script(self) -> bool:
        """Whether it began with the file itself, and not with a function of it."""
        return self.entry == "<module>"

    @property
    def is_of_one(self) -> bool:
        """Whether a framework calls the entry on one rank only, or on one of each node."""
        return self.hook in ONE_OF_ALL

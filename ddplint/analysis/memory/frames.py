"""Activations of functions, loops and handlers that are being walked, as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

import libcst as cst

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Class, Function, Value, Varying
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.trace.events import Frame, LoopFrame
from ddplint.analysis.trace.nodes import Kinds, takes
from ddplint.project.modules import Module

Run = Callable[[], "Value | None"]


@dataclass(frozen=True, slots=True)
class Left:
    """Ranks that left a round or a function by decisions of their own (``causes``): who, on which path, with what.

    ``spoken``: what the ranks had said to each other by then.
    """

    mask: int
    path: PathCondition
    causes: tuple[Varying, ...]
    store: Mapping[Location, Value]
    spoken: object


@dataclass(slots=True)
class Loop_:
    """Exits collected while an iteration of a loop is walked; the unknown numbers of the iteration.

    ``done``: the ranks that the test of a ``while`` ended; ``turns``: the conditions under which each rank has had its
    turn, in this iteration or an earlier one; ``left``: who went on to the next on its own, behind ``begun`` decisions.
    """

    breaks: int = 0
    continues: int = 0
    done: int = 0
    counters: frozenset[Symbol] = frozenset()
    turns: set[int] = field(default_factory=set)
    left: list[Left] = field(default_factory=list)
    begun: int = 0


@dataclass(slots=True)
class Try_:
    """The handlers of an enclosing ``try``, the ranks whose ``raise`` each of them caught, and what held there.

    ``depth``: on how many things ranks have decided for themselves on the way to it. ``taken``: who came to a handler
    on which path, as long as none decided for itself to do so (``own``).
    """

    handlers: list[Kinds]
    caught: list[int]
    depth: int = 0
    paths: dict[int, PathCondition] = field(default_factory=dict)
    taken: dict[int, list[tuple[int, PathCondition]]] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)

    def take(self, raised: Kinds, mask: int, path: PathCondition, decided: int) -> bool:
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
    known: PathCondition = field(default_factory=PathCondition)
    locals_depth: int = 0
    on_yield: Callable[[Value], Value] | None = None
    left: list[Left] = field(default_factory=list)
    begun: int = 0
    """How many decisions of ranks for themselves had led to the call."""
    callers: tuple[Frame, ...] | None = None
    """The calls that led here, once somebody has asked."""
    then: str = ""
    """What the framework does with what is returned that calls this (:func:`framework_hooks.follow`)."""
    asks: bool = False
    """Whether it, or what it calls, has asked who the rank is."""
    tells: bool = False
    """Whether something is returned that was worked out of that."""


@dataclass(slots=True)
class Tail:
    """A call of which the result is returned as it is: ``then`` follows on the callee's returns, if it is ``taken``."""

    node: cst.CSTNode
    then: str
    taken: bool = False


class Held(TypedDict, total=False):
    """What can be set for a block of a walk: fields of its state, then of the interpreter."""

    mask: int
    path: PathCondition
    stays: Mapping[Symbol, tuple[int, int]]
    guards: tuple[Guard, ...]
    locals: tuple[Varying, ...]
    loops: list[Loop_]
    tries: list[Try_]
    around: tuple[LoopFrame, ...]
    frames: list[CallFrame]
    quiet: int
    followed: int
    tolerant: int
    alone: int

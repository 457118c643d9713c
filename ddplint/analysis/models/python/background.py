"""What a program starts in a thread or a process of its own, while it goes on itself.

Each rank does so for itself. Only what touches files is followed there: what speaks to other ranks is another matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import NONE, Bound, External, Function, Value
from ddplint.analysis.memory import containers, presence
from ddplint.analysis.memory.presence import Drawing
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api
from ddplint.project.index import library
from ddplint.source.ancestry import tree_of

_ELSEWHERE = frozenset({library.BEGINS, library.COMMUNICATES, library.LAUNCHES, library.WRAPS})
"""What is done among ranks: a process that does it may be one of them."""


def started(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """An object is made that runs a function beside the program (``Thread(target=save, args=(path,))``)."""
    target = argument(args, kwargs, "target", 1)
    given, named = argument(args, kwargs, "args", 3), argument(args, kwargs, "kwargs", 4)
    items = containers.items_of(w, given) if given is not None else []
    if target is not None and items is not None and (named is None or named == NONE):
        beside(w, target, list(items), {}, node)


def submitted(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """A pool gets a function and what to call it with."""
    if args and "*" not in kwargs:
        beside(w, args[0], list(args[1:]), dict(kwargs), node)


def beside(w: Interp, target: Value, args: Sequence[Value], kwargs: Mapping[str, Value], node: cst.CSTNode) -> None:
    """Walk a function that runs beside the program."""
    target = w.state.narrow(target)
    if w.quiet or w.tired or not _is_followed(w, target):
        return

    def run() -> Value:
        w.trace_of(lambda: _call(w, target, args, kwargs, node))
        return NONE

    record = w.record(Drawing)
    before, record.drawn = record.drawn, True
    try:
        tree = tree_of(w.frame.module.file.module)
        if node in tree:
            presence.note(w, tree.statement(node))  # no fix makes others wait there for what has only begun
        with w.saved(tries=[]):
            w.state.arm(w.state.mask, None, run)
    finally:
        record.drawn = before


def _call(w: Interp, target: Value, args: Sequence[Value], kwargs: Mapping[str, Value], node: cst.CSTNode) -> None:
    w.semantics.call_value(w, target, list(args), dict(kwargs), node)


def _is_followed(w: Interp, target: Value) -> bool:
    """Whether it is known to touch files, and to speak to nobody."""
    function = target.function if isinstance(target, Bound) else target
    if isinstance(function, External):
        row = w.knowledge.lookup(function.name)
        return row is not None and bool(row.effect)
    if not isinstance(function, Function):
        return False
    named = w.project.index.unit(function.module.file).functions.items()
    own = [one for name, many in named for one in many if name.rpartition(".")[2] == function.name]
    effects = {effect for one in own for effect in w.project.index.effects(one)}
    return library.FILES in effects and effects.isdisjoint(_ELSEWHERE)

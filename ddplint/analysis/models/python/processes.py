"""One process for each number of a loop: ``for rank in range(n): Process(target=work, args=(rank, n)).start()``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.arguments import argument
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import (
    UNBOUND,
    Bound,
    Const,
    External,
    Function,
    Instance,
    Object,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.interp import asides
from ddplint.analysis.memory import containers, definedness
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.numbers import Sizes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.memory.store import is_meetings
from ddplint.analysis.models.python import background
from ddplint.analysis.openworld.values import initial_state
from ddplint.analysis.openworld.values.initial_state import LaterWrites
from ddplint.knowledge import Api
from ddplint.source.tree import children
from ddplint.source.words import words_of

STARTS = "starts_process"
"""The role of a class whose objects are processes."""

_TARGET = "target"
_PROCESS = "Process"
"""Files that call nothing of this name start none: their loops need not be searched."""

_BEGINS = frozenset({"init_process_group", "init_distributed", "init_dist"})
"""How a process joins the others: one that does not is none of the ranks."""


@dataclass(slots=True)
class Processes(Record):
    """``begins``: the call of the loop that is walked which starts a process as each of the ranks. ``signalled``: the
    functions that were given to ``signal.signal``, their keys and names."""

    life = Life.FILE
    begins: cst.CSTNode | None = None
    signalled: dict[int, str] = field(default_factory=dict)


def begun_in(w: Interp, node: cst.For, source: Value) -> cst.Call | None:
    """The call that starts a rank for each number of a loop; None where the loop starts none.

    Where the group has been made before, the processes are helpers of a rank.
    """
    if not isinstance(node.target, cst.Name) or not _counts(source):
        return None
    if _PROCESS not in w.project.index.called_names(w.frame.module.file):
        return None
    if any(one.effect == Effect.INIT for one in w.events):
        return None
    for call in _calls(node.body):
        if _is_process(w, call) and _is_rank(w, call):
            if isinstance(source, Object) and isinstance(source.args[-1], Unknown):
                w.record(Sizes).symbols.add(source.args[-1].symbol)
            return call
    return None


def started(w: Interp, row: Api, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value:
    """A process is made. If it is one of the ranks, what it does is walked here; of others what they do to files."""
    made = w.external_object(row.name, args, kwargs, node)
    target = argument(args, kwargs, _TARGET, 1)
    if node is not w.record(Processes).begins or not isinstance(target, (Function, Bound)):
        background.started(w, row, args, kwargs, node)
        return made
    w.emit(row, Effect.LAUNCH, node, args=args, kwargs=kwargs)
    given = argument(args, kwargs, "args", 3)
    w.semantics.call_value(w, target, list(containers.items_of(w, given) or ()) if given is not None else [], {}, node)
    return made


def _calls(body: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls in a body that are given a function as ``target``."""
    left = [body]
    while left:
        node = left.pop()
        left += children(node)
        if isinstance(node, cst.Call) and _function(node) is not None:
            yield node


def _function(call: cst.Call) -> cst.BaseExpression | None:
    """What a call is given as ``target``."""
    return next((arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == _TARGET), None)


def _counts(source: Value) -> bool:
    """Whether a loop goes over the numbers from nought on."""
    if isinstance(source, Tuple):
        return len(source.items) > 1 and all(item == Const(place) for place, item in enumerate(source.items))
    first = source.args[0] if isinstance(source, Object) and source.name == "builtins.range" and source.args else None
    return isinstance(source, Object) and first is not None and (len(source.args) == 1 or source.args[0] == Const(0))


def _is_process(w: Interp, call: cst.Call) -> bool:
    function = w.semantics.evaluate(w, call.func)
    name = function.name if isinstance(function, External) else ""
    if isinstance(function, Bound) and isinstance(function.function, External):
        name = function.function.name
    row = w.knowledge.lookup(name)
    return row is not None and STARTS in row.also


def _is_rank(w: Interp, call: cst.Call) -> bool:
    """Whether the process joins the others, in the module of its function or in this one."""
    target = _function(call)
    function = w.semantics.evaluate(w, target) if target is not None else None
    while isinstance(function, Bound):
        function = function.function
    if not isinstance(function, Function):
        return False
    return any(not words_of(module.file).isdisjoint(_BEGINS) for module in (function.module, w.frame.module))


_GIVEN = (Unknown(symbol("signal", "number")), Unknown(symbol("signal", "frame")))
"""What a handler is called with: the number of the signal, and where the program was."""


def registered(w: Interp, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value | None:
    """``signal.signal(number, handler)``: from here on no two ranks need to see the same in what the handler sets."""
    handler = kwargs.get("handler") or (args[1] if len(args) > 1 else None)
    given = w.state.narrow(handler) if handler is not None else None
    function = given.function if isinstance(given, Bound) else given
    if isinstance(function, Function):
        owner = f"{function.owner.name}." if function.owner is not None else ""
        w.record(Processes).signalled[function.key] = f"{owner}{function.name}"
    trail = w.trail(node, "a signal: it comes to each rank at its own time")
    for where, value in _set_by(w, given, node).items():
        flag = Varying(Reason.CLOCK, fresh("signal"), trail)
        held = w.state.read(where)
        if held is None or held is UNBOUND or isinstance(held, (Const, Unknown)):
            if held != value:
                w.record(LaterWrites).by_signal[where] = flag
                w.state.write(where, flag)
        elif isinstance(held, Tuple) and isinstance(value, Tuple) and len(held.items) == len(value.items):
            pairs = zip(held.items, value.items)
            w.state.write(where, Tuple(tuple(before if before == after else flag for before, after in pairs)))
    return None


def _set_by(w: Interp, handler: Value | None, node: cst.CSTNode) -> Mapping[Location, Value]:
    """What a handler sets when a signal comes, some time later: what others set in its object meanwhile is open."""
    if handler is None or w.tired:
        return {}
    found: dict[Location, Value] = {}
    called = set(w.called)

    def when_it_comes() -> Value | None:
        found.update(asides.forgotten(w, lambda: w.semantics.call_value(w, handler, list(_GIVEN), {}, node)).writes)
        return None

    def later() -> Value | None:
        method = handler.function if isinstance(handler, Bound) else None
        if isinstance(method, Function) and isinstance(handler, Bound) and isinstance(handler.receiver, Instance):
            initial_state.open_instance(w, handler.receiver, method.name)
        return when_it_comes()

    asides.forgotten(w, later)
    w.called.intersection_update(called)
    return {where: value for where, value in found.items() if not (is_meetings(where) or definedness.is_note(where))}

"""What a decorator of a library makes of a function."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import (
    NONE,
    Bound,
    Class,
    Const,
    Either,
    External,
    Function,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Tuple,
    Value,
)
from ddplint.analysis.memory import classes, containers, modes, presence
from ddplint.analysis.memory.modes import GradFree
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import results
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.summaries import call_cache
from ddplint.analysis.summaries.call_cache import CallCache
from ddplint.knowledge import Api, rank_words
from ddplint.knowledge.which_rank import kind_of_predicate


def row_of(w: Interp, function: Function) -> Api | None:
    """What the tables know of a function of the project (a framework's own source, or the user's own rows)."""
    name = f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
    row = w.knowledge.lookup(f"{function.module.name}.{name}")
    if row is None or row.form in ("context", "decorator"):
        return None
    if row.kind in ("local", "launcher", "log_any") and "group_source" not in row.also:
        return None
    return row


def as_the_row_says(w: Interp, row: Api, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """The call of a function of the project, as the tables describe it."""
    receiver = args[0] if function.owner is not None and args else None
    rest = args[1:] if function.owner is not None else args
    return w.models.apply(w, row, row.name, list(rest), kwargs, node, receiver)


# -- decorators and managers -----------------------------------------------------------------------------------------


def decorate(w: Interp, decorator: Value, value: Value, node: cst.Decorator) -> Value:
    """The value of a decorated function."""
    decorator = w.state.narrow(decorator)
    if call_cache.keeps_results(decorator) and isinstance(value, Function):
        w.record(CallCache).functions.add(value.key)
    if isinstance(decorator, Bound) and isinstance(decorator.function, External):
        return _external_decorator(w, decorator.function.name, [], {}, value, node, decorator)
    if isinstance(decorator, External):
        return _external_decorator(w, decorator.name, [], {}, value, node, decorator)
    if isinstance(decorator, Object):
        return _external_decorator(w, decorator.name, list(decorator.args), dict(decorator.kwargs), value, node, None)
    if isinstance(decorator, (Function, Partial, Bound)) or _makes_callables(w, decorator, value):
        result = w.semantics.call_value(w, decorator, [value], {}, node)
        return result if _is_callable(result) else _redefined(w, value)
    return _redefined(w, value)


def _makes_callables(w: Interp, decorator: Value, value: Value) -> bool:
    """Whether a class of the project, or an object of one, takes a function's place and is called like it.

    A method would lose its object, unless the class says how it is bound.
    """
    if isinstance(decorator, Class):
        plain = isinstance(value, Function) and value.owner is None
        return plain and classes.find_in_class(w, decorator, "__call__")[0] is not None
    return isinstance(decorator, Instance) and classes.find_in_class(w, decorator.cls, "__call__")[0] is not None


def _redefined(w: Interp, value: Value) -> Value:
    """A function that is walked as it is written, although what its decorator makes of it is not known."""
    if isinstance(value, Function):
        w.record(presence.Redefined).keys.add(value.key)
    return value


def _is_callable(value: Value) -> bool:
    return isinstance(value, (Function, Bound, Partial, OnRanks, Instance, PerRank, Either, Object))


def _external_decorator(
    w: Interp, name: str, args: Args, kwargs: Kwargs, value: Value, node: cst.Decorator, self_: Value | None
) -> Value:
    if name in ("builtins.property", "builtins.staticmethod", "builtins.classmethod", "functools.cached_property"):
        return w.external_object(name, [value], {}, node)
    if name.endswith((".setter", ".deleter", ".getter")) and isinstance(self_, Bound):
        held = self_.receiver
        if name.endswith(".setter") and isinstance(held, Object) and held.args:
            return w.external_object(held.name, [held.args[0], value], {}, node)
        return held
    if modes.turns_grad_off(name, args) and isinstance(value, Function):
        w.record(GradFree).functions.add(value.key)
    row = w.knowledge.lookup(name)
    if row is not None and row.kind == "rank_zero_decorator":
        return _first_rank_only(w, value, kind_of_predicate(row) or "main", name, node)
    if row is None and rank_words.FIRST_RANK_ONLY.search(name) is not None:
        return _first_rank_only(w, value, "local" if "local" in name.lower() else "main", name, node)
    return value if row is not None or results.is_harmless(w, name.partition(".")[0]) else _redefined(w, value)


def _first_rank_only(w: Interp, value: Value, kind: str, name: str, node: cst.Decorator) -> Value:
    return OnRanks(value, rank_evidence.ranks_where(kind), w.trail(node, f"@{name.rpartition('.')[2]}"))


ON_MAIN = "runs_on_main"
"""What a row says of a call that has the main process alone run a function, before all ranks go on."""


def run_on_main(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """Run the function of such a call, with the arguments that it is given in a list and a dictionary."""
    function = argument(args, kwargs, "func", 0)
    if not isinstance(function, (Bound, Function, Partial)):
        return
    items = containers.items_of(w, argument(args, kwargs, "args", 1) or NONE)
    pairs = containers.pairs_of(w, argument(args, kwargs, "kwargs", 2) or NONE)
    named = {
        str(key.value): value
        for key, value in (one.items for one in pairs or () if isinstance(one, Tuple))
        if isinstance(key, Const)
    }
    alone = OnRanks(function, rank_evidence.ranks_where("main"), w.trail(node, "run on the main process alone"))
    w.semantics.call_value(w, alone, items or [], named, node)


def without_grad(w: Interp, body: Callable[[], None]) -> None:
    """Run the body of a function that ``@torch.no_grad()`` decorates."""
    modes.flagged(w, "no_grad", body)

"""Arguments of a call, and how a function's parameters are bound to them."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.values import NONE, Const, Function, Tuple, Unknown, Value, unknown
from ddplint.analysis.memory import containers, filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.openworld.values import parameters, type_hints


def arguments(w: Interp, node: cst.Call) -> tuple[Args, Kwargs]:
    """The evaluated arguments; star arguments of unknown length become ``*``/``**`` markers that bind to unknowns."""
    args: Args = []
    kwargs: Kwargs = {}
    for arg in node.args:
        value = w.semantics.evaluate(w, arg.value)
        if arg.star == "*":
            items = containers.items_of(w, value)
            if items is None:
                kwargs["*"] = value
            else:
                args += items
        elif arg.star == "**":
            pairs = containers.pairs_on_paths(w, value)
            if pairs is None:
                kwargs["**"] = value
            for pair in pairs or ():
                key, item_value = pair.items if isinstance(pair, Tuple) else (NONE, NONE)
                if isinstance(key, Const) and isinstance(key.value, str):
                    kwargs[key.value] = item_value
                elif isinstance(pair, Tuple):  # under some name, perhaps that of a parameter
                    kwargs["**"] = value
        elif arg.keyword is not None:
            kwargs[arg.keyword.value] = value
        else:
            args.append(value)
    return args, kwargs


def bind(w: Interp, function: Function, args: Args, kwargs: Kwargs) -> None:
    """Bind arguments to parameters; what the call leaves open takes its default or becomes unknown."""
    params = function.node.params
    scope = w.frame.scope
    spread = kwargs.pop("*", None) or kwargs.pop("**", None)
    kwargs.pop("**", None)
    positional = (*params.posonly_params, *params.params)
    for index, param in enumerate(positional):
        name = param.name.value
        value = args[index] if index < len(args) else parameters.given(w, function, param, kwargs, spread)
        w.state.write((scope, name), _noted(w, function, param, value))
    for param in params.kwonly_params:
        value = parameters.given(w, function, param, kwargs, spread)
        w.state.write((scope, param.name.value), _noted(w, function, param, value))
    all_known = spread is None and not parameters.is_called_by_nobody(w)
    if isinstance(params.star_arg, cst.Param):
        rest = args[len(positional) :]
        w.state.write((scope, params.star_arg.name.value), Tuple(tuple(rest)) if all_known else unknown("args"))
    if params.star_kwarg is not None:
        pairs: list[Value] = [Tuple((Const(key), value)) for key, value in kwargs.items()]
        handed = _under_unknown_names(w, spread)
        local = filling.own_length(w, spread) if spread is not None else None
        made = w.container("dict", [*pairs, *handed] if all_known or handed else None, local)
        w.state.write((scope, params.star_kwarg.name.value), made)


def _under_unknown_names(w: Interp, spread: Value | None) -> list[Value]:
    """What ``**{name: value}`` passes under names that nobody knows."""
    pairs = containers.pairs_on_paths(w, spread) if spread is not None else None
    return [pair for pair in pairs or () if isinstance(pair, Tuple) and not isinstance(pair.items[0], Const)]


def _noted(w: Interp, function: Function, param: cst.Param, value: Value) -> Value:
    """An argument; of one that is not known, the annotation may name a class of the project."""
    if param.annotation is not None:
        for part in alternatives(value):
            if type(part) is Unknown:
                type_hints.promise(w, part.symbol, param.annotation.annotation, function.scope)
    return value

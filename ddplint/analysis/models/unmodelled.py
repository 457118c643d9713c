"""Calls of things that nobody knows: what they are given is handed on, what they give is named."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import is_given
from ddplint.analysis.domain.provenance import may_be_name
from ddplint.analysis.domain.symbols import GIVEN, fresh, symbol
from ddplint.analysis.domain.term import Call, Item, Joined
from ddplint.analysis.domain.values import TRUE, Const, Unknown, Value, Varying
from ddplint.analysis.interp import asides
from ddplint.analysis.memory import numbers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import dispatch, keywords, results
from ddplint.analysis.models.data import loaders, parameters, sharing
from ddplint.analysis.models.distributed import parts, torch_modules, wrapped
from ddplint.analysis.models.python import paths, updating
from ddplint.analysis.models.results import OF_BUILTINS
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.analysis.openworld.values import class_choice, reflective_writes
from ddplint.analysis.openworld.values.duck_typing import is_own

_ELEMENTS = (Item, Joined)


def of_unknown(
    w: Interp, receiver: Unknown | Varying, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """A method of something unknown: a backward pass, a distinctive name, or an ordinary computation."""
    if name == "backward":
        return wrapped.backward(w, receiver, node)
    own = parameters.on_this_rank(w, receiver, name, node)
    if own is not None:
        return own
    parameters.filled(w, receiver, name, args, node)
    torch_modules.note_move(w, node, name, args)
    if (whole := parameters.put_together(w, receiver, name, args, kwargs, node)) is not None:
        return whole
    distinct = rank_evidence.distinctive(w, name)
    if distinct is not None and distinct.form not in ("property", "value"):
        return w.models.apply(w, distinct, distinct.name, args, kwargs, node, receiver)
    row = w.knowledge.any_method(name) or paths.of_listed(w, receiver, name, args)
    if row is not None and not is_own(w, name):
        return w.models.apply(w, row, row.name, args, kwargs, node, receiver)
    if name in w.knowledge.quiet("same"):
        parts.told(w, receiver, name, next(iter((*args, *kwargs.values())), TRUE), node)
        return _there(receiver)
    if isinstance(receiver, Varying) and (counted := sharing.counted_out(w, receiver, name, node)) is not None:
        return counted
    if name == "set_epoch":
        w.emit("set_epoch", Effect.SET_EPOCH, node, args=args, kwargs=kwargs, receiver=receiver)
    if name == "step" and "opt" in results.expressions_text(node).lower():
        loaders.note_step(w, receiver, args, kwargs, node)
    elif name == "step":
        loaders.note_rate_step(w, receiver, args, kwargs, node)
    known = results.is_quiet(w, name) or receiver.source is not None or isinstance(receiver, Varying)
    if not known and not dispatch.from_plain(w, receiver.symbol):
        asides.opaque(w, node, name, args=args, beside=kwargs.values())
        if dispatch.may_agree(name):
            return Unknown(symbol("method", name, receiver.symbol, fresh(name)))
        args = results.for_others(args)
    elif name not in OF_BUILTINS:
        args = results.without_drawn(args, may_be_name)
    if name == "update" or not results.is_quiet(w, name):
        reflective_writes.by_method(w, receiver, args, name, node)
    if name == "update" and isinstance(receiver, Unknown):
        updating.take_over(w, receiver, args, kwargs, node)
    if isinstance(receiver, Varying) and name in numbers.SIZES and numbers.is_selected(receiver):
        return numbers.size_of(receiver)
    if isinstance(receiver, Varying) and name in (
        "size",
        "dim",
        "ndimension",
        "type",
        "is_contiguous",
        "stride",
        "numel",
    ):
        alike = Unknown(symbol("method", name, receiver.symbol))
        return numbers.note_size(w, receiver, alike) if name in numbers.SIZES else alike
    if name in ("get", "pop") and args and is_field_of_file(w, receiver, args[0]):
        return Unknown(symbol("field", id(node), args[0]))  # whichever rank's file it is
    head = ("method", name, receiver.symbol, *keywords.named(kwargs))
    made = results.result_of(w, head, [receiver, *args, *keywords.with_data(kwargs)], node)
    return dispatch.filled(w, node, receiver, name, args, made) if name in dispatch.FILLED else made


def _there(receiver: Unknown | Varying) -> Value:
    """An element of something, after a method of it was called: it is not ``None``."""
    if not isinstance(receiver, Unknown) or not isinstance(receiver.symbol, _ELEMENTS) or is_given(receiver):
        return receiver
    return Unknown(symbol("supplied", receiver.symbol, GIVEN), receiver.source)


def is_field_of_file(w: Interp, content: Value, key: Value) -> bool:
    """Whether it is a field of a file that was read.

    Where each rank has a file of its own, they are checkpoints: what they say (the epoch), they say alike.
    """
    if not isinstance(content, Unknown) or not isinstance(key, Const) or not isinstance(key.value, str):
        return False
    made = content.symbol
    row = w.knowledge.lookup(made.name) if isinstance(made, Call) and isinstance(made.name, str) else None
    return row is not None and row.effect == Effect.READ


def call_unknown(w: Interp, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call something that is not known at all."""
    if isinstance(function, (Unknown, Varying)):
        name = results.expressions_text(node)
        if not name.endswith(".module"):  # the module inside a wrapper speaks to nobody
            asides.opaque(w, node, name, model=True, args=args, beside=kwargs.values())
        result = results.result_of(
            w, ("apply", function.symbol), [*results.for_others(args), *keywords.with_data(kwargs)], node
        )
        return class_choice.made(w, function, result)
    return results.result_of(w, ("apply", fresh("callee")), args, node)

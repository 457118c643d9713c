"""Calls that leave the project: what they do is asked of the knowledge tables, never guessed from a spelling.

Dispatch lives here; ``roles`` knows what each kind of row means, ``wrappers`` models behind DDP and its kin,
``builtin`` Python's own functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.join import alternatives, either, is_given, trail_of
from ddplint.analysis.domain.provenance import may_be_name
from ddplint.analysis.domain.symbols import GIVEN, Symbol, fresh, is_divided, symbol
from ddplint.analysis.domain.values import (
    LOCAL_WORLD_SIZE,
    NONE,
    UNBOUND,
    WORLD_SIZE,
    Bound,
    Const,
    Container,
    Either,
    External,
    Function,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    by_rank_in,
    source_of,
    unknown,
    varying_in,
)
from ddplint.analysis.interp import argument_update
from ddplint.analysis.memory import definedness, modes, selection
from ddplint.analysis.models import devices, iterables, loaders, row_kinds, save_hooks, training, wrapped
from ddplint.analysis.models.python import builtins, container_methods, paths
from ddplint.analysis.openworld import class_choice, rank_evidence, reflective_writes, seeds
from ddplint.analysis.openworld.own_methods import is_own
from ddplint.analysis.semantics import attributes, calls, expressions
from ddplint.analysis.summaries import call_cache, silent_modules

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.knowledge import Api


Args = list[Value]
Kwargs = dict[str, Value]

_ELEMENTS = frozenset({"item", "joined"})
_FEW_WAYS = 8
_OF_BUILTINS = frozenset(name for kind in (str, list, dict, set, tuple, bytes, int, float) for name in dir(kind))


def of_modules(w: Walker) -> frozenset[str]:
    """Methods of modules that do not run them."""
    return w.knowledge.quiet("same", "module_methods")


def is_quiet(w: Walker, method: str) -> bool:
    """Whether a method of this name is so common that a call of it is taken to speak to no rank."""
    return method in _OF_BUILTINS or method in w.knowledge.quiet("same", "module_methods", "tensor_methods", "methods")


def is_harmless(w: Walker, root: str) -> bool:
    """Whether a package speaks to no other rank where no row says so."""
    return root in sys.stdlib_module_names or root in w.knowledge.quiet("packages")


# -- values ----------------------------------------------------------------------------------------------------------


def value_of(w: Walker, row: Api, node: cst.CSTNode, receiver: Value | None) -> Value:
    """The value of a property (or module-level value) that a table describes."""
    return row_kinds.value(w, row, node, receiver, [], {})


def environment(w: Walker, name: str, node: cst.CSTNode, default: Value | None) -> Value:
    """An environment variable: launchers set those that name the rank, the same everywhere for the rest."""
    stored = w.state.read((w.owner("os.environ"), name))
    row = w.knowledge.env(name)
    if row is not None and row.rank in rank_evidence.KINDS:
        return rank_evidence.rank_value(w, row.rank, node, f'environment "{name}"', as_text=True)
    if name == "WORLD_SIZE":
        w.distributed = True
        lessened = isinstance(stored, Unknown) and is_divided(stored.symbol)
        return stored if stored is not None and lessened else Const(str(WORLD_SIZE))
    if name == "LOCAL_WORLD_SIZE":
        return Const(str(LOCAL_WORLD_SIZE))
    given = Unknown(symbol("environment", name))
    if stored is None or stored is UNBOUND:
        return given
    return definedness.filled(w.state, (w.owner("os.environ"), name), given)


def variable(w: Walker, args: Args, node: cst.CSTNode) -> Value:
    """What ``os.environ.get`` gives for these arguments."""
    if args and isinstance(args[0], Const):
        return environment(w, str(args[0].value), node, args[1] if len(args) > 1 else None)
    return unknown("environment")


def set_environment(w: Walker, index: Value, value: Value, node: cst.CSTNode) -> None:
    """``os.environ[name] = value``."""
    if isinstance(index, Const) and isinstance(index.value, str):
        w.emit("os.environ.__setitem__", "set_env", node, args=[index, value])
        w.state.write((w.owner("os.environ"), index.value), value)


# -- calls -----------------------------------------------------------------------------------------------------------


def call_external(w: Walker, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call something outside the project by its full name."""
    special = builtins.FUNCTIONS.get(name) or builtins.FUNCTIONS.get(w.knowledge.usual(name))
    if special is not None:
        found = special(w, args, kwargs, node)
        if found is not None:
            return found
    if name == "torch.device":
        devices.note_number(w, node, args)
    row = w.knowledge.lookup(name)
    if row is not None and (row.kind != "local" or row.effect):
        return row_kinds.apply(w, row, name, args, kwargs, node, None)
    return _plain(w, name, args, kwargs, node, row)


def _plain(w: Walker, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, row: Api | None) -> Value:
    varying = w.knowledge.value(name)
    if varying is not None:
        return row_kinds.varying_result(w, varying, name, args, node, kwargs)
    seeds.note(w, row, args, kwargs, None)
    _pass_callables(w, args, kwargs, node)
    last = name.rpartition(".")[2]
    module = args[0] if args else kwargs.get("module")
    if isinstance(module, (Instance, Object, Either)) and w.knowledge.usual(name) in w.knowledge.quiet("converting"):
        return module
    if last == "tqdm":
        return builtins.bar(w, args, kwargs, node)  # whoever's bar it is, it goes over what it is given
    if last == "trange" and args:
        return builtins.bar(w, [call_external(w, "builtins.range", args, {}, node)], kwargs, node)
    if (last[:1].isupper() and not silent_modules.is_function(w, name)) or name in modes.GRAD_MODES:
        return w.external_object(name, args, kwargs, node)
    if row is None and not _is_plain(w, name) and not is_quiet(w, last):
        calls.opaque(w, node, name, args=args)
        args = _without_drawn(args)
    elif row is not None and row.effect == "read":
        args = _without_drawn(args)
    elif row is None and not _is_plain(w, name):
        args = _without_drawn(args, may_be_name)
    spread = [value for key in ("*", "**") if isinstance(value := kwargs.get(key), Unknown)]
    return typed(w, name, _told(result_of(w, ("call", name), [*args, *spread], node), args, kwargs))


def _told(result: Value, args: Args, kwargs: Kwargs) -> Value:
    """An unknown result of a call that was given what each rank has for itself, by keyword or on some path only.

    It may differ with that. But what by keyword says how to do something (a generator, a seed) rarely changes what is
    done, so that nobody may take it for different either.
    """
    given = (*(arg for arg in args if isinstance(arg, Either)), *_data_kwargs(kwargs))
    ways = [way for value in given for way in alternatives(value)]
    own = [way if isinstance(way, PerRank) else local for way in ways if (local := varying_in(way)) or _numbers(way)]
    if type(result) is not Unknown or not own:
        return result
    *made, last = result.symbol.made_of
    return Unknown(symbol(*made, *((*own, last) if last == GIVEN else (last, *own))), result.source)


def _numbers(value: Value) -> bool:
    """Whether ranks have numbers or texts of their own; an object that only some have is another thing."""
    return isinstance(value, PerRank) and all(isinstance(part, (Const, Unknown)) for part in value.values)


def _is_drawn(value: Varying) -> bool:
    return value.reason is Reason.RANDOM


def _without_drawn(args: Args, which: Callable[[Varying], bool] = _is_drawn) -> Args:
    """Arguments without what each rank drew: the name of a temporary file says nothing of what is read from it."""
    return [_undrawn(arg, which) for arg in args]


def _undrawn(value: Value, which: Callable[[Varying], bool]) -> Value:
    if isinstance(value, Either) and value.local is None:
        return either(value.symbol, _undrawn(value.yes, which), _undrawn(value.no, which))
    return Unknown(value.symbol) if isinstance(value, Varying) and which(value) else value


def _is_plain(w: Walker, name: str) -> bool:
    """Whether code under this name speaks to no other rank: well-known packages, modules without a word of it."""
    if is_harmless(w, name.partition(".")[0]):
        return True
    module = name.rpartition(".")[0]
    return module in w.plain or module.rpartition(".")[0] in w.plain


def _from_plain(w: Walker, what: Symbol, depth: int = 0) -> bool:
    """Whether an unknown came out of a call of code that speaks to no other rank (an axis of a plot)."""
    head = what.key[0]
    if head in ("call", "object") and len(what.key) > 1 and isinstance(what.key[1], str):
        return _is_plain(w, what.key[1])
    if head in ("attr", "method", "part", "item") and depth < 8:
        inner = next((part for part in what.key[1:] if isinstance(part, Symbol)), None)
        return inner is not None and _from_plain(w, inner, depth + 1)
    return False


def _pass_callables(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """A callable handed to code that is not walked may be called by it; it is at least an entry of its own."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, (Function, Bound)):
            w.escaped.append(value)


def result_of(w: Walker, head: tuple[object, ...], args: Args, node: cst.CSTNode) -> Value:
    """The result of an unmodelled call: derived from its arguments.

    What is made of something rank-local, or of what one of several wrapped models gave, is so way by way.
    """
    for arg in args:
        if isinstance(arg, Wrapped):
            wrapped.may_be_called(w, arg)
    of_path = head[0] == "call" and str(head[1]).startswith("os.path.")
    splits = [arg for arg in args if isinstance(arg, Either) and arg.local is None]
    split = next((arg for arg in splits if (of_path and _may_differ(arg)) or _of_several(arg)), None)
    split = split or next((arg for arg in splits if arg.leaves <= _FEW_WAYS and _is_local(arg)), None)
    if split is not None:
        ways = ([way if arg is split else arg for arg in args] for way in (split.yes, split.no))
        yes, no = (result_of(w, head, way, node) for way in ways)
        return either(split.symbol, yes, no)
    parted = next((arg for arg in args if isinstance(arg, PerRank)), None)
    if parted is not None:
        local = next((v for arg in args if (v := varying_in(arg)) is not None), None)
        reason = local.reason if local else Reason.IDENTITY
        what = symbol(*head, *(expressions.key_of(arg) for arg in args))
        return Varying(reason, what, w.trail(node, "", trail_of(parted)))
    plain = [_content(w, arg) for arg in args]
    kept = [arg for arg in map(_alternative, plain) if not isinstance(arg, Either) or _always_local(arg)]
    result = expressions.derived(head, kept)
    if type(result) is Unknown and head[0] == "call" and head[1] in w.knowledge.quiet("tensors"):
        return Unknown(symbol(*result.symbol.made_of, GIVEN), result.source)
    return selection.result(w, head, args, result)


def _of_several(value: Either) -> bool:
    """Whether one wrapped model or another gave it."""
    sources = {source_of(way) for way in alternatives(value)} - {None}
    return len(sources) > 1


def _is_local(value: Either) -> bool:
    """Whether one way to it gives something that only each rank knows, and no other way a value that is known."""
    ways = alternatives(value)
    return any(isinstance(way, Varying) for way in ways) and all(isinstance(way, (Unknown, Varying)) for way in ways)


def _always_local(value: Either) -> bool:
    """Whether every way to it gives something that only each rank knows."""
    return value.local is None and all(isinstance(way, Varying) for way in alternatives(value))


def _may_differ(value: Value) -> bool:
    """Whether ranks differ in a value on some path."""
    return by_rank_in(value) or varying_in(value) is not None


def _alternative(value: Value) -> Value:
    """An object that a choice between objects may be; other choices as they are."""
    one = value
    while isinstance(one, Either):
        one = one.yes
    return one if isinstance(one, (Instance, Object)) else value


def _content(w: Walker, value: Value) -> Value:
    """For a container, its content (so that a list of rank-local tensors is rank-local).

    One that is written out (``settings.get("splits", [])``) is the same each time.
    """
    if isinstance(value, Container):
        content = w.state.read((value.id, "")) or NONE
        if isinstance(content, Tuple) and all(isinstance(item, Const) for item in content.items):
            return Tuple((Const(value.kind), *content.items))
        if varying_in(content) is not None or source_of(content) is not None:
            return content
    return value


def call_method(w: Walker, name: str, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A method of something outside the project."""
    short = name.rpartition(".")[2]
    special = container_methods.method_of(receiver, short)
    if special is not None:
        found = special(w, receiver, args, kwargs, node)
        if found is not None:
            return found
    devices.note_move(w, node, short, args)
    if isinstance(receiver, Wrapped):
        return wrapped.method(w, receiver, short, args, kwargs, node)
    if isinstance(receiver, Object) and receiver.name == "builtins.super":
        inner = calls.super_attribute(w, receiver, short, node)
        return NONE if inner is None else calls.call_value(w, inner, args, kwargs, node)
    row = w.knowledge.lookup(name)
    if row is None or "kept" not in row.also:
        modes.changed(w, receiver)
    save_hooks.note(w, row, receiver, args, kwargs)
    if row is not None and (row.kind != "local" or row.effect):
        return row_kinds.apply(w, row, name, args, kwargs, node, receiver)
    if row is None:
        other = w.knowledge.any_method(short)
        distinct = rank_evidence.distinctive(w, short)
        if distinct is not None and _may_inherit(w, receiver):
            return row_kinds.apply(w, distinct, distinct.name, args, kwargs, node, receiver)
        if other is not None:
            return row_kinds.apply(w, other, other.name, args, kwargs, node, receiver)
    part = paths.called(w, receiver, short, args)
    if part is not None:
        return part
    options = loaders.options(w, receiver, short)
    if options is not None:
        return options
    varying = w.knowledge.value(name)
    if varying is not None:
        return row_kinds.varying_result(w, varying, name, args, node, kwargs)
    seeds.note(w, row, args, kwargs, receiver)
    if row is not None and "returns_receiver" in row.also:
        return receiver
    if short in w.knowledge.quiet("same"):
        training.switched(w, receiver, short, [*args, *kwargs.values()])
        return receiver
    if short == "register_buffer" and isinstance(receiver, Instance):
        w.marks.add(("register_buffer", receiver.id))
    found = loaders.method(w, receiver, short, args, kwargs, node)
    if found is not None:
        return found
    _pass_callables(w, args, kwargs, node)
    if row is None and not _is_plain(w, name) and not is_quiet(w, short):
        calls.opaque(w, node, name, args=args)
        args = _without_drawn(args)
    elif short not in _OF_BUILTINS:
        args = _without_drawn(args, may_be_name)
    if row is None and (short == "update" or not is_quiet(w, short)):
        reflective_writes.by_method(w, receiver, args, short)
    result = result_of(w, ("method", short, expressions.key_of(receiver)), [_receiver_value(w, receiver), *args], node)
    made = typed(w, name, _told(result, args, kwargs))
    iterables.cut(w, receiver, short, made)
    if short.endswith("_") and short in w.knowledge.quiet("tensor_methods"):
        made = _FILLED[short](args, made) if short in _FILLED else made
        argument_update.of_method(w, node, receiver, made)
    return made


_FILLED: dict[str, Callable[[Args, Value], Value]] = {
    "copy_": lambda args, made: args[0] if args else made,
    "fill_": lambda args, made: args[0] if args else made,
    "zero_": lambda args, made: Const(0),
}
"""What a tensor holds behind a method that fills it (its shape does not matter, as in :func:`builtins._tensor`)."""


def _may_inherit(w: Walker, receiver: Value) -> bool:
    """Whether an object may have a library's method: it is of no class of the project, or of one with such a base."""
    if not isinstance(receiver, Instance):
        return True
    return any(base != "builtins.object" for base in attributes.external_bases(w, receiver.cls))


def typed(w: Walker, name: str, result: Value) -> Value:
    """The result of a call whose class the tables know (``datasets.load_dataset``), where it is equal on all ranks."""
    if not isinstance(result, Unknown) or result.source is not None:
        return result
    kind = w.knowledge.type_of(name)
    return Object(kind, w.owner(("typed", result.symbol))) if kind is not None else result


def typed_part(w: Walker, kind: str, base: Value, name: str) -> Object:
    """An attribute whose class the tables know, or a method that returns such an object when it is called."""
    part = Object(kind, w.owner(("typed", base, name)))
    w.marks.add(("part", part.id))
    return part


def _receiver_value(w: Walker, receiver: Value) -> Value:
    if isinstance(receiver, Object):
        local = loaders.local_of(w, receiver)
        return local if local is not None else receiver
    return _content(w, receiver)


def of_unknown(
    w: Walker, receiver: Unknown | Varying, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value:
    """A method of something unknown: a backward pass, a distinctive name, or an ordinary computation."""
    if name == "backward":
        return wrapped.backward(w, receiver, node)
    devices.note_move(w, node, name, args)
    distinct = rank_evidence.distinctive(w, name)
    if distinct is not None and distinct.form not in ("property", "value"):
        return row_kinds.apply(w, distinct, distinct.name, args, kwargs, node, receiver)
    row = w.knowledge.any_method(name) or paths.of_listed(w, receiver, name, args)
    if row is not None and not is_own(w, name):
        return row_kinds.apply(w, row, row.name, args, kwargs, node, receiver)
    if name in w.knowledge.quiet("same"):
        return _there(receiver)
    if name == "set_epoch":
        w.emit("set_epoch", "set_epoch", node, args=args, kwargs=kwargs, receiver=receiver)
    if name == "step" and "opt" in expressions_text(node).lower():
        w.emit("step", "optimizer_step", node, args=args, kwargs=kwargs, receiver=receiver)
    _pass_callables(w, args, kwargs, node)
    known = is_quiet(w, name) or receiver.source is not None or isinstance(receiver, Varying)
    if not known and not _from_plain(w, receiver.symbol):
        calls.opaque(w, node, name, args=args)
        args = _without_drawn(args)
    elif name not in _OF_BUILTINS:
        args = _without_drawn(args, may_be_name)
    if name == "update" or not is_quiet(w, name):
        reflective_writes.by_method(w, receiver, args, name)
    if isinstance(receiver, Varying) and name in selection.SIZES and selection.is_selected(receiver):
        return selection.size_of(receiver)
    if isinstance(receiver, Varying) and name in (
        "size",
        "dim",
        "ndimension",
        "type",
        "is_contiguous",
        "stride",
        "numel",
    ):
        return Unknown(symbol("method", name, receiver.symbol))
    if name in ("get", "pop") and args and is_field_of_file(w, receiver, args[0]):
        return Unknown(symbol("field", id(node), args[0]))  # whichever rank's file it is
    return result_of(w, ("method", name, receiver.symbol), [receiver, *args, *_data_kwargs(kwargs)], node)


def _there(receiver: Unknown | Varying) -> Value:
    """An element of something, after a method of it was called: it is not ``None``."""
    if not isinstance(receiver, Unknown) or receiver.symbol.key[0] not in _ELEMENTS or is_given(receiver):
        return receiver
    return Unknown(symbol("supplied", receiver.symbol, GIVEN), receiver.source)


def is_field_of_file(w: Walker, content: Value, key: Value) -> bool:
    """Whether it is a field of a file that was read.

    Where each rank has a file of its own, they are checkpoints: what they say (the epoch), they say alike.
    """
    if not isinstance(content, Unknown) or not isinstance(key, Const) or not isinstance(key.value, str):
        return False
    made = content.symbol.key
    row = w.knowledge.lookup(made[1]) if made[0] == "call" and isinstance(made[1], str) else None
    return row is not None and row.effect == "read"


def _data_kwargs(kwargs: Kwargs) -> Args:
    return [value for key, value in kwargs.items() if key not in _PLACES]


_PLACES = frozenset({"device", "device_map", "dtype", "map_location", "non_blocking"})
"""Arguments that say where something lies and how, not what it is."""


def call_object(w: Walker, receiver: Object, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call an object of an external class: a loss, a layer, a decorator made by a call."""
    modes.changed(w, receiver)
    row = w.knowledge.lookup(f"{receiver.name}.__call__") or w.knowledge.lookup(f"{receiver.name}.forward")
    if row is not None and row.kind != "local":
        return row_kinds.apply(w, row, row.name, args, kwargs, node, receiver)
    if receiver.name in ("builtins.identity", "functools.wraps") and args:
        return args[0]
    if ("part", receiver.id) in w.marks and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        _pass_callables(w, args, kwargs, node)
        return receiver
    return result_of(w, ("object", receiver), [*args, *_data_kwargs(kwargs)], node)


def call_unknown(w: Walker, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call something that is not known at all."""
    _pass_callables(w, args, kwargs, node)
    if isinstance(function, (Unknown, Varying)):
        name = expressions_text(node)
        if not name.endswith(".module"):  # the module inside a wrapper speaks to nobody
            calls.opaque(w, node, name, model=True, args=args)
        result = result_of(w, ("apply", function.symbol), [*_without_drawn(args), *_data_kwargs(kwargs)], node)
        return class_choice.made(w, function, result)
    return result_of(w, ("apply", fresh("callee")), args, node)


def expressions_text(node: cst.CSTNode) -> str:
    """How a call's callee is written."""
    function = node.func if isinstance(node, cst.Call) else node
    parts: list[str] = []
    while isinstance(function, cst.Attribute):
        parts.append(function.attr.value)
        function = function.value
    parts.append(function.value if isinstance(function, cst.Name) else "…")
    return ".".join(reversed(parts))


def forward(w: Walker, model: Wrapped, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call a wrapped model."""
    return wrapped.forward(w, model, args, kwargs, node)


def wrapped_methods(w: Walker, model: Wrapped) -> frozenset[str]:
    """Names of the methods that communicate on a wrapped model."""
    return wrapped.methods_of(model.api)


def known_project_function(
    w: Walker, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode
) -> Value | None:
    """A function of the project that the tables know (checking a framework's own source, or the user's own rows)."""
    name = f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
    row = w.knowledge.lookup(f"{function.module.name}.{name}")
    if row is None or row.form in ("context", "decorator"):
        return None
    if row.kind in ("local", "launcher", "log_any") and "group_source" not in row.also:
        return None
    receiver = args[0] if function.owner is not None and args else None
    rest = args[1:] if function.owner is not None else args
    return row_kinds.apply(w, row, row.name, list(rest), kwargs, node, receiver)


# -- decorators and managers -----------------------------------------------------------------------------------------


def decorate(w: Walker, decorator: Value, value: Value, node: cst.Decorator) -> Value:
    """The value of a decorated function."""
    decorator = w.state.narrow(decorator)
    if call_cache.keeps_results(decorator) and isinstance(value, Function):
        w.caching.add(value.key)
    if isinstance(decorator, Bound) and isinstance(decorator.function, External):
        return _external_decorator(w, decorator.function.name, [], {}, value, node, decorator)
    if isinstance(decorator, External):
        return _external_decorator(w, decorator.name, [], {}, value, node, decorator)
    if isinstance(decorator, Object):
        return _external_decorator(w, decorator.name, list(decorator.args), dict(decorator.kwargs), value, node, None)
    if isinstance(decorator, (Function, Partial, Bound)):
        result = calls.call_value(w, decorator, [value], {}, node)
        return result if _is_callable(result) else value
    return value


def _is_callable(value: Value) -> bool:
    return isinstance(value, (Function, Bound, Partial, OnRanks, Instance, PerRank, Either, Object))


def _external_decorator(
    w: Walker, name: str, args: Args, kwargs: Kwargs, value: Value, node: cst.Decorator, self_: Value | None
) -> Value:
    if name in ("builtins.property", "builtins.staticmethod", "builtins.classmethod", "functools.cached_property"):
        return w.external_object(name, [value], {}, node)
    if name.endswith((".setter", ".deleter", ".getter")) and isinstance(self_, Bound):
        held = self_.receiver
        if name.endswith(".setter") and isinstance(held, Object) and held.args:
            return w.external_object(held.name, [held.args[0], value], {}, node)
        return held
    if modes.turns_grad_off(name, args) and isinstance(value, Function):
        w.without_grad.add(value.key)
    row = w.knowledge.lookup(name)
    if row is not None and row.kind == "rank_zero_decorator":
        kind = rank_evidence.kind_of_predicate(row) or "main"
        return OnRanks(value, rank_evidence.ranks_where(kind), w.trail(node, f"@{name.rpartition('.')[2]}"))
    return value


def manager(
    w: Walker, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> bool:
    """Run a with-body under a manager from outside the project; False where it has no meaning for ranks."""
    return row_kinds.manage(w, manager, node, bind, body)


def without_grad(w: Walker, body: Callable[[], None]) -> None:
    """Run the body of a function that ``@torch.no_grad()`` decorates."""
    row_kinds.flagged(w, "no_grad", body)

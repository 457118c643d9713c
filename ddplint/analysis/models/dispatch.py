"""Calls that leave the project: what they do is asked of the knowledge tables.

Of code that no table knows a few things are guessed by its name: whether it may agree over the ranks, and which
keywords change nothing (``[[guess]]`` in ``words.toml``); and whoever's ``tqdm`` it is, it goes over what it is given.
Dispatch lives here; ``row_kinds`` knows what each kind of row means, ``distributed.wrapped`` models behind DDP and its
kin, ``python.builtins`` Python's own functions.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.provenance import may_be_name
from ddplint.analysis.domain.symbols import Symbol, also_of, fresh, symbol
from ddplint.analysis.domain.term import Attr, Call, Item, Method, Part
from ddplint.analysis.domain.values import (
    NONE,
    Const,
    Either,
    External,
    Group,
    Instance,
    Object,
    PerRank,
    Unknown,
    Value,
    Wrapped,
    varying_in,
)
from ddplint.analysis.interp import argument_update, asides
from ddplint.analysis.memory import classes, modes, presence
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import fitting
from ddplint.analysis.models import keywords, options, parsed, results, row_kinds
from ddplint.analysis.models.data import files, loaders, parameters, sharing
from ddplint.analysis.models.distributed import drawn_members, module_containers, parts, torch_modules, wrapped
from ddplint.analysis.models.distributed.meshes import asked
from ddplint.analysis.models.python import builtins, container_methods, paths, type_tests
from ddplint.analysis.models.python.changed_copies import changed_copy
from ddplint.analysis.models.results import OF_BUILTINS
from ddplint.analysis.openworld.programs import rank_evidence, seeds, shuffles
from ddplint.analysis.openworld.values import configured, reflective_writes
from ddplint.analysis.summaries import helper_modules
from ddplint.analysis.summaries.helper_modules import HelperModules
from ddplint.knowledge import Api, guesses

# -- values ----------------------------------------------------------------------------------------------------------


def value_of(w: Interp, row: Api, node: cst.CSTNode, receiver: Value | None) -> Value:
    """The value of a property (or module-level value) that a table describes."""
    return row_kinds.value(w, row, node, receiver, [], {})


# -- calls -----------------------------------------------------------------------------------------------------------


def call_external(w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call something outside the project by its full name."""
    parts.given(w, name, args, kwargs, node)
    special = builtins.FUNCTIONS.get(name) or builtins.FUNCTIONS.get(w.knowledge.usual(name))
    if special is not None:
        found = special(w, args, kwargs, node)
        if found is not None:
            return found
    given = parsed.result(w, name, None, args, kwargs, node)
    if given is not None:
        return given
    if name == torch_modules.DEVICE:
        torch_modules.note_number(w, node, args)
    row = w.knowledge.lookup(name)
    if row is not None and (row.kind != "local" or row.effect):
        return w.models.apply(w, row, name, args, kwargs, node, None)
    return _plain(w, name, args, kwargs, node, row)


def _plain(w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, row: Api | None) -> Value:
    parameters.initialised(w, name, args, kwargs, node)
    if row is not None and "tells_worker" in row.also and w.record(presence.Drawing).by_worker:
        return w.external_object(name, args, kwargs, node)
    varying = w.knowledge.value(name)
    if varying is not None and varying.asks_for and args:
        return type_tests.asked_of(w, args[0], External(varying.asks_for), node)
    if varying is not None:
        return results.varying_result(w, varying, name, args, node, kwargs)
    seeds.note(w, row, args, kwargs, None, node)
    of_config = name in w.knowledge.quiet("instantiates")
    if of_config and (object_ := configured.made(w, args, kwargs, node)) is not None:
        return object_
    last = name.rpartition(".")[2]
    module = args[0] if args else kwargs.get("module")
    if isinstance(module, (Instance, Object, Either)) and w.knowledge.usual(name) in w.knowledge.quiet("converting"):
        return module
    if last == "tqdm":
        return builtins.bar(w, args, kwargs, node)  # whoever's bar it is, it goes over what it is given
    if last == "trange" and args:
        return builtins.bar(w, [call_external(w, "builtins.range", args, {}, node)], kwargs, node)
    is_made = name in seeds.GENERATORS or name in modes.GRAD_MODES
    if is_made or (last[:1].isupper() and not helper_modules.is_function(w, name)):
        return parameters.made(w, w.external_object(name, args, kwargs, node), node)
    parameters.clipped(w, row, args, kwargs, node)
    if row is None and not _is_plain(w, name) and not results.is_quiet(w, last):
        asides.opaque(w, node, name, args=args, beside=kwargs.values())
        if may_agree(last):
            return results.typed(w, name, Unknown(symbol("call", name, fresh(last))))
        args = results.for_others(args)
    elif row is not None and row.effect == Effect.READ:
        args = results.without_drawn(args)
    elif row is None and not _is_plain(w, name):
        args = results.without_drawn(args, may_be_name)
    spread = [value for key in ("*", "**") if isinstance(value := kwargs.get(key), Unknown)]
    head = ("call", name, *keywords.named(kwargs))
    made = results.typed(w, name, _told(results.result_of(w, head, [*args, *spread], node), args, kwargs))
    shuffles.note(w, row, args, kwargs, node, None, made)
    return configured.note(w, args, made) if of_config else made


def _told(result: Value, args: Args, kwargs: Kwargs) -> Value:
    """An unknown result of a call that was given what each rank has for itself, by keyword or on some path only.

    It may differ with that. But what by keyword says how to do something (a generator, a seed) rarely changes what is
    done, so that nobody may take it for different either.
    """
    given = (*(arg for arg in args if isinstance(arg, Either)), *keywords.with_data(kwargs))
    ways = [way for value in given for way in alternatives(value)]
    own = [way if isinstance(way, PerRank) else local for way in ways if (local := varying_in(way)) or _numbers(way)]
    if type(result) is not Unknown or not own:
        return result
    return Unknown(also_of(result.symbol, *own), result.source)


def _numbers(value: Value) -> bool:
    """Whether ranks have numbers or texts of their own; an object that only some have is another thing."""
    return isinstance(value, PerRank) and all(isinstance(part, (Const, Unknown)) for part in value.values)


def may_agree(name: str) -> bool:
    """Whether what nobody could follow may give all ranks the same, by its name."""
    return guesses.pattern("agrees").search(name.lower()) is not None


def _is_plain(w: Interp, name: str) -> bool:
    """Whether code under this name speaks to no other rank: well-known packages, modules without a word of it."""
    if name in w.knowledge.quiet("runs_anything"):
        return False
    if results.is_harmless(w, name.partition(".")[0]):
        return True
    module = name.rpartition(".")[0]
    return module in w.record(HelperModules).plain or module.rpartition(".")[0] in w.record(HelperModules).plain


def from_plain(w: Interp, what: Symbol, depth: int = 0) -> bool:
    """Whether an unknown came out of a call of code that speaks to no other rank (an axis of a plot)."""
    if isinstance(what, Call) and isinstance(what.name, str):
        return _is_plain(w, what.name) and what.name not in w.knowledge.quiet("gives_anything")
    if isinstance(what, (Attr, Method, Part, Item)) and depth < 8:
        inner = next(iter(what.symbols), None)
        return inner is not None and from_plain(w, inner, depth + 1)
    return False


def call_method(w: Interp, name: str, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A method of something outside the project."""
    short = name.rpartition(".")[2]
    special = container_methods.method_of(receiver, short)
    if special is not None:
        found = special(w, receiver, args, kwargs, node)
        if found is not None:
            return found
    given = parsed.result(w, name, receiver, args, kwargs, node)
    if given is not None:
        return given
    if name in _COPIED and (copied := changed_copy(w, [receiver], kwargs, node)) is not None:
        return copied
    if isinstance(receiver, Object):
        drawn_members.note_added(w, receiver, short, args)
        if (counted := sharing.counted_out(w, receiver, short, node)) is not None:
            return counted
    held = module_containers.method(w, receiver, short, args, kwargs, node)
    if held is not None:
        return held
    own = parameters.on_this_rank(w, receiver, short, node)
    if own is not None:
        return own
    torch_modules.note_move(w, node, short, args)
    if short == "load_state_dict":
        w.emit(name, Effect.NEW_STATE, node, args=args, receiver=receiver)
    parts.asked(w, receiver, short, node)
    if isinstance(receiver, Wrapped):
        return wrapped.method(w, receiver, short, args, kwargs, node)
    if isinstance(receiver, Object) and receiver.name == "builtins.super":
        inner = w.semantics.super_attribute(w, receiver, short, node)
        if inner is None:
            return _above(w, receiver, short, args, kwargs, node)
        return w.semantics.call_value(w, inner, args, kwargs, node)
    of_mesh = asked.method(w, receiver, short, args, kwargs, node) if isinstance(receiver, Group) else None
    if of_mesh is not None:
        return of_mesh
    row = w.knowledge.lookup(name)
    if row is None or "kept" not in row.also:
        modes.changed(w, receiver)
    files.note(w, row, receiver, args, kwargs)
    if row is not None and (row.kind != "local" or row.effect):
        return w.models.apply(w, row, name, args, kwargs, node, receiver)
    if row is None:
        other = w.knowledge.any_method(short)
        distinct = rank_evidence.distinctive(w, short)
        if distinct is not None and _may_inherit(w, receiver):
            return w.models.apply(w, distinct, distinct.name, args, kwargs, node, receiver)
        if other is not None:
            return w.models.apply(w, other, other.name, args, kwargs, node, receiver)
    part = paths.called(w, receiver, short, joined.handed_over(w, args, kwargs))
    if part is not None:
        return part
    given = options.parsed(w, receiver, short)
    if given is not None:
        return given
    varying = w.knowledge.value(name)
    if varying is not None:
        return results.varying_result(w, varying, name, args, node, kwargs)
    own = seeds.drawn_by(w, receiver, short, args, node)
    if own is not None:
        return own
    seeds.note(w, row, args, kwargs, receiver, node)
    shuffles.note(w, row, args, kwargs, node, receiver, NONE)
    if row is not None and "unwraps" in row.also and args:
        return w.lift(node, lambda seen: seen.inner if isinstance(seen, Wrapped) else seen, args[0])
    if row is not None and "returns_receiver" in row.also:
        return receiver
    if short in w.knowledge.quiet("same"):
        torch_modules.switched(w, receiver, short, [*args, *kwargs.values()], node)
        return receiver
    if short == "register_buffer" and isinstance(receiver, Instance):
        w.marks.add(("register_buffer", receiver.id))
        parameters.registered(w, receiver, args)
    found = loaders.method(w, receiver, short, args, kwargs, node)
    if found is not None:
        return found
    if row is None and not _is_plain(w, name) and not results.is_quiet(w, short):
        asides.opaque(w, node, name, args=args, beside=kwargs.values())
        args = results.without_drawn(args)
    elif short not in OF_BUILTINS:
        args = results.without_drawn(args, may_be_name)
    if row is None and (short == "update" or not results.is_quiet(w, short)):
        reflective_writes.by_method(w, receiver, args, short, node)
    head = ("method", short, terms.key_of(receiver), *keywords.named(kwargs))
    result = results.result_of(w, head, [_receiver_value(w, receiver), *args], node)
    made = shuffles.handed_on(w, row, receiver, results.typed(w, name, _told(result, args, kwargs)))
    fitting.cut(w, receiver, short, made)
    if short.endswith("_") and short in w.knowledge.quiet("tensor_methods"):
        made = filled(w, node, receiver, short, args, made)
    return made


def filled(w: Interp, node: cst.CSTNode, receiver: Value, name: str, args: Args, made: Value) -> Value:
    """What a tensor is behind a method that changes it in place, which gave ``made``: so it is for all who have it."""
    made = FILLED[name](args, made) if name in FILLED else made
    argument_update.of_method(w, node, receiver, made, filled=name in FILLED)
    return made


_COPIED = frozenset({"typing.NamedTuple._replace", "typing_extensions.NamedTuple._replace"})
"""Methods that give another object of the class, with some attributes changed."""
_GIVE_NOTHING = frozenset({"setUp", "tearDown"})


def _above(w: Interp, receiver: Object, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A method that a class has from a library, of which no table says anything: what it gives hangs on its arguments.

    It gives ``None`` where it only sets up.
    """
    if name in _GIVE_NOTHING or (name.startswith("__") and name not in ("__call__", "__getitem__")):
        return NONE
    given = [arg for arg in (*args, *keywords.with_data(kwargs)) if not isinstance(arg, Wrapped)]
    return results.result_of(w, ("method", name, receiver), results.without_drawn(given), node)


FILLED: dict[str, Callable[[Args, Value], Value]] = {
    "copy_": lambda args, made: args[0] if args else made,
    "fill_": lambda args, made: args[0] if args else made,
    "zero_": lambda args, made: Const(0),
}
"""What a tensor holds behind a method that fills it (its shape does not matter, as in :func:`builtins._tensor`)."""


def _may_inherit(w: Interp, receiver: Value) -> bool:
    """Whether an object may have a library's method: it is of no class of the project, or of one with such a base."""
    if not isinstance(receiver, Instance):
        return True
    return any(base != "builtins.object" for base in classes.external_bases(w, receiver.cls))


def _receiver_value(w: Interp, receiver: Value) -> Value:
    if isinstance(receiver, Object):
        local = loaders.local_of(w, receiver)
        return local if local is not None else receiver
    return results.content(w, receiver)


def call_object(w: Interp, receiver: Object, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call an object of an external class: a loss, a layer, a decorator made by a call."""
    modes.changed(w, receiver)
    row = w.knowledge.lookup(f"{receiver.name}.__call__") or w.knowledge.lookup(f"{receiver.name}.forward")
    if row is not None and row.kind != "local":
        return w.models.apply(w, row, row.name, args, kwargs, node, receiver)
    if receiver.name in ("builtins.identity", "functools.wraps") and args:
        return args[0]
    through = module_containers.call(w, receiver, args, node)
    if through is not None:
        return through
    if ("part", receiver.id) in w.marks and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return receiver
    return results.result_of(w, ("object", receiver), [*args, *keywords.with_data(kwargs)], node)

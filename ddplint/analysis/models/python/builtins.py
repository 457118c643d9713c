"""Python's own functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from ddplint.analysis.domain.arguments import argument
from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.join import either, trail_of
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Instance,
    Object,
    Partial,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    unknown,
    varying_in,
)
from ddplint.analysis.interp import generators
from ddplint.analysis.memory import bounds, filling, modes, selection, unordered
from ddplint.analysis.models import dispatch, iterables, loaders, ranks
from ddplint.analysis.models.python import hashing, paths, signals
from ddplint.analysis.openworld import class_choice, reflective_writes
from ddplint.analysis.semantics import attributes, calls, exceptions, expressions, reads
from ddplint.analysis.summaries import call_cache

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker


Args = list[Value]
Kwargs = dict[str, Value]
Handler = Callable[["Walker", Args, Kwargs, cst.CSTNode], "Value | None"]


def _pure(compute: Callable[..., Any]) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        def apply(*values: Value) -> Value:
            if kwargs or not all(isinstance(value, Const) for value in values):
                return expressions.derived(("call", compute.__name__), values)
            found = expressions._safely("call", compute, *(v.value for v in values if isinstance(v, Const)))
            return found if found is not None else expressions.derived(("call", compute.__name__), values)

        if compute in (min, max) and len(args) == 1:
            items = calls.items_of(w, args[0])
            args = items if items else args
        return w.lift(node, apply, *args)

    return run


def _str(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 1 or kwargs:
        return _pure(str)(w, args, kwargs, node)

    def apply(value: Value) -> Value:
        if paths.is_path(value):
            return paths.text_of(value)
        return Const(str(value.value)) if isinstance(value, Const) else expressions.derived(("call", "str"), [value])

    return w.lift(node, apply, args[0])


def _bool(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return FALSE

    def apply(value: Value) -> Value:
        if isinstance(value, Container) and (asked := filling.asked(w, value, node)) is not value:
            return asked
        known = w.truth(value)
        if isinstance(known, Symbol):
            return Unknown(known)
        if known is None:
            return value
        return TRUE if known else FALSE

    return w.lift(node, apply, args[0])


def _len(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 1:
        return None

    def apply(value: Value) -> Value:
        items = calls.items_of(w, value)
        if items is not None:
            return Const(len(items))
        if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
            return Const(len(value.value))
        if isinstance(value, Instance) and (own := _own_length(w, value, node)) is not None:
            return own
        if isinstance(value, Varying):
            if value.reason is Reason.LENGTH or selection.is_selected(value):
                return selection.size_of(value)
            return Unknown(symbol("len", value.symbol))
        if isinstance(value, Container):
            content = w.state.read((value.id, "")) or NONE
            local = varying_in(content)
            if local is not None and local.reason is Reason.LENGTH:
                return Varying(Reason.LENGTH, symbol("len", local.symbol), local.trail)
            return Unknown(symbol("len", w.truth_of_unknown(value)))
        return Unknown(symbol("len", expressions.key_of(value)))

    return w.lift(node, lambda value, *_: apply(value), args[0], *filling.by_rank(w, args[0]))


def _own_length(w: Walker, value: Instance, node: cst.CSTNode) -> Value | None:
    """The length that an object of the project says it has, where ranks have another each."""
    method, _ = attributes.find_in_class(w, value.cls, "__len__")
    if not isinstance(method, Function):
        return None
    w.quiet += 1
    try:
        found = calls.call_value(w, method, [value], {}, node)
    finally:
        w.quiet -= 1
    return found if by_rank_in(found) or varying_in(found) is not None else None


def _range(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    apart = iterables.counted_apart(args)
    if apart is not None:
        return apart
    choice = next((arg for arg in args if isinstance(arg, Either) and arg.local is None and by_rank_in(arg)), None)
    if choice is not None:
        ways = ([way if arg is choice else arg for arg in args] for way in (choice.yes, choice.no))
        found = [_range(w, way, kwargs, node) for way in ways]
        return either(choice.symbol, found[0] or NONE, found[1] or NONE)
    by_rank = next((arg for arg in args if isinstance(arg, PerRank)), None)
    known = all(isinstance(arg, (Const, PerRank)) for arg in args)
    if by_rank is not None and not known:
        if len(args) == 3 and not _divides(w, args[1], args[2]):
            return Varying(Reason.LENGTH, fresh("range"), w.trail(node, "", trail_of(by_rank)))
        return Varying(Reason.DATA, fresh("range"), w.trail(node, "", trail_of(by_rank)))
    return w.lift(node, lambda *values: w.external_object("builtins.range", list(values), {}, node), *args)


def _divides(w: Walker, stop: Value, step: Value) -> bool:
    """Whether ranks that go in steps up to a number have as many each, for it divides by their number."""
    multiple = isinstance(stop, Unknown) and bounds.holds_multiple(stop.symbol, step)
    return multiple or bounds.is_checked(w, stop, step)


def _collection(kind: str, *, put_in_order: bool = False) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        named = [Tuple((Const(key), value)) for key, value in kwargs.items()] if kind == "dict" else []
        if not args:
            return w.container(kind, named)

        def apply(value: Value) -> Value:
            items = calls.pairs_of(w, value) if kind == "dict" else calls.items_of(w, value)
            if items is not None:
                items = [*items, *named]
                return unordered.made(w, w.container(kind, items), items, None if put_in_order else value)
            local = varying_in(value) or filling.own_length(w, value)
            if isinstance(value, Container) and local is None:
                local = varying_in(w.state.read((value.id, "")) or NONE)
            made = w.container(kind, None, local)
            ranks.listed(w, value, made)
            return unordered.made(w, made, None, None if put_in_order else value)

        return w.lift(node, apply, args[0])

    return run


def _tuple(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return Tuple(())
    items = calls.items_of(w, args[0])
    return Tuple(tuple(items)) if items is not None else args[0]


def _through(handler: Handler) -> Handler:
    """A function that goes through all of what it is given: a generator of the project runs to its end."""

    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        if args:
            generators.exhaust(w, args[0], node)
        return handler(w, args, kwargs, node)

    return run


def _same(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return args[0] if args else None


def _copied(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A copy: of an unknown object one that has what the object has, until something else is set on it."""
    given = w.state.narrow(args[0]) if args else None
    if type(given) is not Unknown or given.source is not None:
        return given
    made = Unknown(symbol("copy", fresh("copy"), given.symbol))
    w.copies[made.symbol] = given
    return made


def _iter(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    w.emit("iterate", "iterate", node, receiver=args[0], details={"loop": None})
    return generators.begun(w, args[0], node)


def _enumerate(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    source, first = argument(args, kwargs, "iterable", 0), argument(args, kwargs, "start", 1)
    if source is None:
        return None

    def apply(value: Value) -> Value:
        items = calls.items_of(w, value)
        start = 0 if first is None else first.value if isinstance(first, Const) else None
        if items is not None and isinstance(start, int):
            return Tuple(tuple(Tuple((Const(i + start), item)) for i, item in enumerate(items)))
        return w.external_object("builtins.enumerate", [value], {}, node)

    return w.lift(node, apply, source)


_FEW = 8
"""How many elements of something unknown are told apart."""


def _first_of(w: Walker, value: Value, count: int, node: cst.CSTNode) -> list[Value]:
    return [calls.item(w, node, value, Const(index)) for index in range(count)]


def _zip(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    lists = [calls.items_of(w, arg) for arg in args]
    known = [items for items in lists if items is not None]
    if len(known) == len(lists) and known:
        return Tuple(tuple(Tuple(row) for row in zip(*known, strict=False)))
    if len({len(items) for items in known}) == 1 and len(known[0]) <= _FEW:
        missing = (arg for arg, items in zip(args, lists, strict=True) if items is None)
        if all(isinstance(w.state.narrow(arg), Unknown) for arg in missing):  # as long as what it goes along with
            columns = [items or _first_of(w, arg, len(known[0]), node) for arg, items in zip(args, lists, strict=True)]
            return Tuple(tuple(Tuple(row) for row in zip(*columns, strict=True)))
    return w.external_object("builtins.zip", args, {}, node)


def _print(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return NONE


def _isinstance(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 2:
        return None
    return w.lift(node, lambda value: instance_test(w, value, args[1]), _of_one_kind(w.state.narrow(args[0])))


def _of_one_kind(value: Value) -> Value:
    """Where each rank has its part of something unknown: which part it is differs, not what it is."""
    if isinstance(value, Either):
        return Either(value.symbol, _of_one_kind(value.yes), _of_one_kind(value.no))
    if isinstance(value, PerRank) and all(isinstance(part, Unknown) for part in value.values):
        return value.values[0]
    return value


def instance_test(w: Walker, value: Value, kind: Value) -> Value:
    """``isinstance(value, kind)``."""
    known = _is_a(w, value, kind)
    if known is not None:
        return TRUE if known else FALSE
    return Unknown(symbol("isinstance", expressions.key_of(value), expressions.key_of(kind)))


_MAX_KINDS = 32
_CONTAINERS = frozenset({"builtins.dict", "builtins.list", "builtins.set"})


def _is_a(w: Walker, value: Value, kind: Value) -> bool | None:
    from ddplint.analysis.domain.values import Wrapped

    if isinstance(kind, Tuple):
        if len(kind.items) > _MAX_KINDS:
            return None
        answers = [_is_a(w, value, item) for item in kind.items]
        return True if True in answers else (False if all(a is False for a in answers) else None)
    if isinstance(kind, External):
        if kind.name in _CONTAINERS | {"builtins.tuple"} and (isinstance(value, Wrapped) or loaders.is_loader(value)):
            return False
        if isinstance(value, Wrapped):
            row = w.knowledge.lookup(kind.name)
            return value.api is row if row is not None else None
        if isinstance(value, Object) and value.name == kind.name:
            return True
        if isinstance(value, Const) and kind.name.startswith("builtins."):
            return type(value.value).__name__ == kind.name[9:] or (
                kind.name == "builtins.int" and value.value in (True, False)
            )
        if isinstance(value, Instance):
            bases = attributes.external_bases(w, value.cls)
            return True if kind.name in bases else None
        if isinstance(value, Container) and kind.name in _CONTAINERS:
            return kind.name == f"builtins.{value.kind}" or None
        return None
    if isinstance(kind, Class):
        if isinstance(value, Instance):
            return _is_kind_of(w, value.cls, kind)
        return False if isinstance(value, (Wrapped, Const)) else None
    return None


def _is_kind_of(w: Walker, cls: Class, kind: Class) -> bool | None:
    """Whether a class of the project is another or derives from it; None where not all of its bases are known."""
    found = list(attributes.lineage(w, cls))
    if kind in found:
        return True
    bases = [attributes.base_of(w, base) for one in found for base in one.bases]
    known = all(isinstance(base, Class) or _is_of_library(w, base) for base in bases)
    claims = kind.node.keywords or set(attributes.external_bases(w, kind)) & _CLAIMING
    return False if known and not claims else None


_CLAIMING = frozenset({"abc.ABC", "typing.Protocol", "typing_extensions.Protocol"})
"""Bases of classes that may claim objects of others for their own."""


def _is_of_library(w: Walker, base: Value) -> bool:
    return isinstance(base, External) and dispatch.is_harmless(w, base.name.partition(".")[0])


def _getattr(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) < 2 or not isinstance(args[1], Const) or not isinstance(args[1].value, str):
        return class_choice.note(w, args[0], unknown("getattr")) if args else unknown("getattr")
    base, name = w.state.narrow(args[0]), args[1].value
    if len(args) == 3 and isinstance(base, Instance) and attributes.has_own(w, base, name):
        there, default = reads.is_there(w, base, name), args[2]
        return w.branch(there, node, node, "ternary", lambda: attributes.get(w, base, name, node), lambda: default)
    return attributes.get(w, base, name, node)


def _setattr(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 3:
        reflective_writes.set_named(w, args[0], args[1], args[2], node)
    return NONE


def _vars(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return attributes.get(w, args[0], "__dict__", node) if len(args) == 1 else None


def _exec(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 1 and not isinstance(args[0], Const):
        reflective_writes.names_of(w, w.frame.module)
    return None


def _field(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A field of a data class whose default each rank works out for itself: its number, or a name that it draws."""
    factory = kwargs.get("default_factory") or kwargs.get("factory")
    if not isinstance(factory, (Function, Partial, External)):
        return None
    w.quiet += 1
    try:
        made = calls.call_value(w, factory, [], {}, node)
    finally:
        w.quiet -= 1
    return made if by_rank_in(made) or varying_in(made) is not None else None


def _hasattr(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    from ddplint.analysis.domain.values import Wrapped

    if len(args) == 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        name = args[1].value

        def apply(value: Value) -> Value:
            if isinstance(value, Wrapped) and name in (value.api.unwrap_attr or "module",):
                return TRUE
            if isinstance(value, Instance) and attributes.has_own(w, value, name):
                return reads.is_there(w, value, name)
            return Unknown(symbol("hasattr", expressions.key_of(value), name))

        return w.lift(node, apply, args[0])
    return unknown("hasattr")


def _partial(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    return Partial(args[0], tuple(args[1:]), tuple(kwargs.items()))


def _exit(*, at_once: bool = False) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        code = args[0] if args else Const(0)
        quiet = isinstance(code, Const) and code.value in (0, None)
        exceptions.end_process(w, node, quiet, at_once)
        return NONE

    return run


def _agent(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What looks for settings calls the function that is to be tried with them."""
    tried = argument(args, kwargs, "function", 1)
    if not isinstance(tried, (Function, Bound)):
        return None
    calls.call_value(w, tried, [], {}, node)
    return NONE


def _getenv(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return dispatch.variable(w, args, node)


def _update_environment(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    named = [Tuple((Const(name), value)) for name, value in kwargs.items()]
    for pair in [*((calls.pairs_of(w, args[0]) if args else None) or ()), *named]:
        if isinstance(pair, Tuple):
            dispatch.set_environment(w, pair.items[0], pair.items[1], node)
    return NONE


def _any_all(decisive: bool) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        items = calls.items_of(w, args[0]) if args else None
        if items is None:
            return dispatch.result_of(w, ("call", "any" if decisive else "all"), args, node)
        result: Value = FALSE if decisive else TRUE
        for item in items:
            result = w.lift(node, lambda a, b: _short(w, decisive, a, b), result, item)
        return result

    return run


def _short(w: Walker, decisive: bool, a: Value, b: Value) -> Value:
    first = w.truth(a)
    if isinstance(first, bool):
        return a if first is decisive else b
    if w.truth(b) is decisive:
        return TRUE if decisive else FALSE
    return expressions.derived(("or" if decisive else "and",), (a, b)) if isinstance(b, (Unknown, Varying)) else a


def _type(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 1 and isinstance(args[0], Instance):
        return args[0].cls
    return Unknown(symbol("type", *(expressions.key_of(arg) for arg in args)))


def _next(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    from ddplint.analysis.semantics import loops

    if not args:
        return None
    items = calls.items_of(w, args[0])
    if items:
        return items[0]
    given = generators.first(w, args[0], node)
    if given is not None:
        return given
    element, length = loops.element_of(w, args[0], node)
    if length is None or len(args) > 1:
        return element
    return exceptions.at_the_end(w, length, node, lambda: element)


def _tensor(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``torch.tensor(x)``: as known, or as rank-local, as what it holds (shape and device do not matter)."""
    if not args:
        return None

    def apply(value: Value) -> Value:
        items = calls.items_of(w, value)
        if items is not None and len(items) == 1:
            return items[0]
        local = varying_in(value)
        if isinstance(value, Container) and local is None:
            local = varying_in(w.state.read((value.id, "")) or NONE)
        if local is not None:
            return local
        if isinstance(value, (Const, Unknown)):
            return value
        return Unknown(fresh("tensor"))

    return w.lift(node, apply, args[0])


def _sum(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    items = calls.items_of(w, args[0]) if args else None
    if items is not None and all(isinstance(item, Const) for item in items):
        return expressions._safely("sum", lambda: sum(item.value for item in items if isinstance(item, Const)))
    return dispatch.result_of(w, ("call", "sum"), args, node)


def _map(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    items = calls.items_of(w, args[1]) if len(args) == 2 else None
    if items is None or len(items) > 8:
        return None
    return w.container("list", [calls.call_value(w, args[0], [item], {}, node) for item in items])


def _contextmanager(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return args[0] if args else None


def _wraps(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return w.external_object("functools.wraps", args, {}, node)


def _property(name: str) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        return w.external_object(f"builtins.{name}", args, {}, node)

    return run


def _property_of(name: str) -> Handler:
    def run(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        return w.external_object(name, args, kwargs, node)

    return run


def _compile(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return args[0] if args else w.external_object("builtins.identity", [], {}, node)


def bar(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A progress bar hands on what it goes over, and knows on which ranks it is switched off."""
    over = args[0] if args else w.external_object("tqdm.tqdm", [], kwargs, node)
    if "disable" in kwargs:
        attributes.set_attribute(w, over, "disable", kwargs["disable"], node)
    return over


def _script(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """Functions and classes stay what they are; a module becomes a scripted one, which can save itself."""
    if args and isinstance(args[0], (Unknown, Object, Instance)):
        return dispatch.typed(w, "torch.jit.script", Unknown(symbol("call", "torch.jit.script", args[0])))
    return _compile(w, args, kwargs, node)


def _path(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return w.external_object("pathlib.Path", [Const(".")], {}, node)

    def apply(*parts: Value) -> Value:
        return paths.path_of(w, paths.joined(*parts))

    return w.lift(node, apply, *args)


def _join(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return w.lift(node, paths.joined, *args) if args else None


def _islice(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    by_rank = next((arg for arg in args[1:] if isinstance(arg, PerRank)), None)
    if by_rank is not None and len(args) == 4:
        return Varying(Reason.LENGTH, fresh("slice"), w.trail(node, "", trail_of(by_rank)))
    return w.external_object("itertools.islice", args, {}, node)


def _defaultdict(w: Walker, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    made = w.container("dict", [] if len(args) < 2 and not kwargs else None)
    if args:
        w.state.write((made.id, "factory"), args[0])
    return made


FUNCTIONS: dict[str, Handler] = {
    "builtins.int": _pure(int),
    "builtins.float": _pure(float),
    "builtins.str": _str,
    "os.fspath": _str,
    "builtins.abs": _pure(abs),
    "builtins.min": _through(_pure(min)),
    "builtins.max": _through(_pure(max)),
    "builtins.round": _pure(round),
    "builtins.divmod": _pure(divmod),
    "builtins.bool": _bool,
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.list": _through(_collection("list")),
    "builtins.sorted": _through(_collection("list", put_in_order=True)),
    "builtins.reversed": _collection("list"),
    "builtins.set": _through(_collection("set")),
    "builtins.frozenset": _through(_collection("set")),
    "builtins.dict": _through(_collection("dict")),
    "collections.OrderedDict": _collection("dict"),
    "builtins.tuple": _through(_tuple),
    "builtins.iter": _iter,
    "builtins.next": _next,
    "signal.signal": signals.registered,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.print": _print,
    "builtins.isinstance": _isinstance,
    "builtins.getattr": _getattr,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "attrs.field": _field,
    "attr.ib": _field,
    "builtins.setattr": _setattr,
    "builtins.vars": _vars,
    "builtins.exec": _exec,
    "builtins.hasattr": _hasattr,
    "builtins.any": _any_all(True),
    "builtins.all": _any_all(False),
    "builtins.sum": _through(_sum),
    "builtins.hash": hashing.hashed,
    "builtins.map": _map,
    "builtins.type": _type,
    "builtins.property": _property("property"),
    "builtins.staticmethod": _property("staticmethod"),
    "builtins.classmethod": _property("classmethod"),
    "builtins.exit": _exit(),
    "builtins.quit": _exit(),
    "sys.exit": _exit(),
    "os._exit": _exit(at_once=True),
    "wandb.agent": _agent,
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "os.environ.setdefault": _getenv,
    "os.environ.update": _update_environment,
    "os.path.join": _join,
    "pathlib.Path": _path,
    "collections.defaultdict": _defaultdict,
    **{name: _property_of(name) for name in sorted(modes.NO_GRAD)},
    "functools.partial": _partial,
    "functools.lru_cache": call_cache.caching,
    "functools.cache": call_cache.caching,
    "functools.wraps": _wraps,
    "itertools.islice": _islice,
    "contextlib.contextmanager": _contextmanager,
    "contextlib.asynccontextmanager": _contextmanager,
    "torch.tensor": _tensor,
    "torch.as_tensor": _tensor,
    "torch.Tensor": _tensor,
    "torch.FloatTensor": _tensor,
    "torch.LongTensor": _tensor,
    "torch.IntTensor": _tensor,
    "torch.ByteTensor": _tensor,
    "torch.compile": _compile,
    "torch.jit.script": _script,
    "tqdm.tqdm_notebook": bar,
    "tqdm.notebook.tqdm_notebook": bar,
    "copy.deepcopy": _copied,
    "copy.copy": _copied,
    "typing.cast": lambda w, args, kwargs, node: args[1] if len(args) == 2 else None,
}

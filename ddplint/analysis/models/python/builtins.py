"""Python's own functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    Container,
    External,
    Function,
    Instance,
    Object,
    Partial,
    Tuple,
    Unknown,
    Value,
    by_rank_in,
    unknown,
    varying_in,
)
from ddplint.analysis.memory import classes, containers, filling, modes, numbers
from ddplint.analysis.memory.contents import joined
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import results
from ddplint.analysis.models.data import filters, parameters
from ddplint.analysis.models.distributed import module_containers
from ddplint.analysis.models.python import counting, environment, imports, paths, processes, sums, type_tests, views
from ddplint.analysis.models.python.changed_copies import COPYING, changed_copy
from ddplint.analysis.models.python.iteration import (
    Handler,
    any_or_all,
    chained,
    collection,
    copied,
    enumerate_of,
    filter_of,
    islice_of,
    iter_of,
    keys_of,
    length,
    map_of,
    next_of,
    range_of,
    sum_of,
    through,
    tuple_of,
    zip_of,
)
from ddplint.analysis.openworld.values import class_choice, name_patterns, reflective_writes
from ddplint.analysis.summaries import call_cache
from ddplint.knowledge import tables
from ddplint.util import figures


def _pure(compute: Callable[..., Any]) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        def apply(*values: Value) -> Value:
            if kwargs or not all(isinstance(value, Const) for value in values):
                return terms.derived(("call", compute.__name__), values)
            found = terms.safely("call", compute, *(v.value for v in values if isinstance(v, Const)))
            return found if found is not None else terms.derived(("call", compute.__name__), values)

        if compute in (min, max) and len(args) == 1:
            items = containers.items_of(w, args[0])
            args = items if items else [results.content(w, args[0])]
        return w.lift(node, apply, *joined.handed_over(w, args, kwargs))

    return run


def _str(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 1 or kwargs:
        return _pure(str)(w, args, kwargs, node)

    def apply(value: Value) -> Value:
        if paths.is_path(value):
            return paths.text_of(value)
        text = figures.shown(value.value) if isinstance(value, Const) else None
        return Const(text) if text is not None else terms.derived(("call", "str"), [value])

    return w.lift(node, apply, args[0])


def _bool(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return FALSE

    def apply(value: Value) -> Value:
        if isinstance(value, Container) and (asked := filling.asked(w, value, node)) is not value:
            return asked
        value = numbers.whether_any(w, value)
        known = w.truth(value)
        if isinstance(known, Symbol):
            return Unknown(known)
        if known is None:
            return value
        return TRUE if known else FALSE

    return w.lift(node, apply, args[0])


def _print(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    stream = w.state.narrow(kwargs.get("file", NONE))
    row = w.knowledge.lookup(f"{stream.name}.write") if isinstance(stream, Object) else None
    if row is not None:
        w.models.apply(w, row, row.name, args, {}, node, stream)
    return NONE


def _isinstance(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) != 2:
        return None
    return type_tests.asked_of(w, args[0], args[1], node)


def _getattr(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) < 2 or not isinstance(args[1], Const) or not isinstance(args[1].value, str):
        if len(args) == 2 and (found := name_patterns.picked(w, w.state.narrow(args[0]), args[1], node)) is not None:
            return found
        return class_choice.note(w, args[0], unknown("getattr")) if args else unknown("getattr")
    base, name = w.state.narrow(args[0]), args[1].value
    if len(args) == 3 and isinstance(base, Instance) and classes.has_own(w, base, name):
        there, default = w.semantics.is_there(w, base, name), args[2]
        return w.branch(
            there, node, node, GuardKind.TERNARY, lambda: w.semantics.get(w, base, name, node), lambda: default
        )
    return w.semantics.get(w, base, name, node)


def _setattr(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 3:
        reflective_writes.set_named(w, args[0], args[1], args[2], node)
    return NONE


def _vars(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return w.semantics.get(w, args[0], "__dict__", node) if args else _locals(w, args, kwargs, node)


def _locals(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """The names of a function with what they stand for; those of a module may be bound from elsewhere."""
    scope = w.frame.scope
    if args or kwargs or scope == w.frame.module.scope:
        return None
    held = ((name, w.state.read((scope, name))) for name in sorted(w.state.names.get(scope, ())) if name.isidentifier())
    pairs = (Tuple((Const(name), value)) for name, value in held if value is not None and value is not UNBOUND)
    return w.container("dict", list(pairs))


def _exec(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if len(args) == 1 and not isinstance(args[0], Const):
        reflective_writes.names_of(w, w.frame.module)
    return None


def _field(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A field of a data class whose default each rank works out for itself: its number, or a name that it draws."""
    factory = kwargs.get("default_factory") or kwargs.get("factory")
    if not isinstance(factory, (Function, Partial, External)):
        return None
    if isinstance(factory, External) and factory.name in containers.KINDS:
        return w.external_object(containers.FIELD, args, {"default_factory": factory}, node)
    with w.saved(quiet=w.quiet + 1):
        made = w.semantics.call_value(w, factory, [], {}, node)
    return made if by_rank_in(made) or varying_in(made) is not None else None


def _partial(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    if not args:
        return None
    return Partial(args[0], tuple(args[1:]), tuple(kwargs.items()))


def _exit(*, at_once: bool = False) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        code = args[0] if args else Const(0)
        quiet = isinstance(code, Const) and code.value in (0, None)
        w.semantics.end_process(w, node, quiet, at_once)
        return NONE

    return run


def _agent(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What looks for settings calls the function that is to be tried with them."""
    tried = argument(args, kwargs, "function", 1)
    if not isinstance(tried, (Function, Bound)):
        return None
    w.semantics.call_value(w, tried, [], {}, node)
    return NONE


def _getenv(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return environment.variable(w, args, node)


def _update_environment(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    named = [Tuple((Const(name), value)) for name, value in kwargs.items()]
    for pair in [*((containers.pairs_of(w, args[0]) if args else None) or ()), *named]:
        if isinstance(pair, Tuple):
            environment.set_environment(w, pair.items[0], pair.items[1], node)
    return NONE


def _tensor(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``torch.tensor(x)``: as known, or as rank-local, as what it holds (shape and device do not matter)."""
    if not args:
        return None

    def apply(value: Value) -> Value:
        items = containers.items_of(w, value)
        if items is not None and len(items) == 1:
            return items[0]
        local = varying_in(value)
        if isinstance(value, Container) and local is None:
            local = varying_in(w.state.read((value.id, "")) or NONE)
        if local is not None:
            return filling.stacked(w, "tensor", [value], local)
        if isinstance(value, (Const, Unknown)):
            return value
        return Unknown(fresh("tensor"))

    return w.lift(node, apply, args[0])


def _contextmanager(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return args[0] if args else None


def _wraps(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return w.external_object("functools.wraps", args, {}, node)


def _property(name: str) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        return w.external_object(f"builtins.{name}", args, {}, node)

    return run


def _property_of(name: str) -> Handler:
    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        return w.external_object(name, args, kwargs, node)

    return run


def _compile(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    return args[0] if args else w.external_object("builtins.identity", [], {}, node)


def bar(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A progress bar passes on what it goes over, and knows on which ranks it is switched off."""
    over = args[0] if args else w.external_object("tqdm.tqdm", [], kwargs, node)
    if "disable" in kwargs:
        w.semantics.set_attribute(w, over, "disable", kwargs["disable"], node)
    return over


_SCRIPTED = "torch.jit.script"


def _script(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """Functions and classes stay what they are; a module becomes a scripted one, which can save itself."""
    if args and isinstance(args[0], (Unknown, Object, Instance)):
        return results.typed(w, _SCRIPTED, Unknown(symbol("call", _SCRIPTED, args[0])))
    return _compile(w, args, kwargs, node)


def _path(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    parts = joined.handed_over(w, args, kwargs)
    if not parts:
        return w.external_object("pathlib.Path", [Const(".")], {}, node)

    def apply(*parts: Value) -> Value:
        return w.models.path_of(w, paths.joined(*parts))

    return w.lift(node, apply, *parts)


def _join(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    parts = joined.handed_over(w, args, kwargs)
    return w.lift(node, paths.joined, *parts) if parts else None


def _defaultdict(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    made = w.container("dict", [] if len(args) < 2 and not kwargs else None)
    if args:
        w.state.write((made.id, "factory"), args[0])
    return made


def _counter(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``Counter(elements)``: what counts them from nothing."""
    made = w.container("dict", [])
    w.state.write((made.id, "factory"), External("builtins.int"))
    w.marks.add((filling.COUNTS, made.id))
    if args or kwargs:
        counting.count(w, made, args, kwargs, node)
    return made


FUNCTIONS: dict[str, Handler] = {
    sums.SPAN: sums.span,
    "builtins.int": _pure(int),
    "builtins.float": parameters.as_number(_pure(float)),
    "builtins.str": _str,
    "os.fspath": _str,
    "builtins.abs": _pure(abs),
    "builtins.min": through(views.function(_pure(min))),
    "builtins.max": through(views.function(_pure(max))),
    "builtins.round": _pure(round),
    "builtins.divmod": sums.divided,
    "builtins.bool": _bool,
    "builtins.len": length,
    "builtins.range": range_of,
    "builtins.list": through(views.function(collection("list"))),
    "builtins.sorted": through(views.function(collection("list", put_in_order=True))),
    "builtins.reversed": views.function(collection("list")),
    "builtins.set": through(views.function(collection("set"))),
    "builtins.frozenset": through(views.function(collection("set"))),
    "builtins.dict": through(views.function(collection("dict"))),
    "builtins.dict.fromkeys": views.function(keys_of),
    "itertools.chain": views.function(chained),
    "collections.OrderedDict": views.function(collection("dict")),
    "collections.deque": through(views.function(collection("list"))),
    "builtins.tuple": through(views.function(tuple_of)),
    "builtins.iter": iter_of,
    "builtins.next": next_of,
    "signal.signal": processes.registered,
    "builtins.enumerate": views.function(enumerate_of),
    "builtins.zip": views.function(zip_of),
    "builtins.print": _print,
    "builtins.isinstance": _isinstance,
    "builtins.getattr": _getattr,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "attrs.field": _field,
    "attr.ib": _field,
    "builtins.setattr": _setattr,
    "builtins.locals": _locals,
    "builtins.vars": _vars,
    "builtins.exec": _exec,
    "builtins.hasattr": type_tests.has_attribute,
    "builtins.any": views.function(any_or_all(True)),
    "builtins.all": views.function(any_or_all(False)),
    "builtins.sum": through(views.function(sum_of)),
    "builtins.hash": environment.hashed,
    "builtins.map": views.function(map_of),
    "builtins.filter": views.function(filters.or_else(filter_of)),
    "builtins.type": type_tests.type_of,
    "builtins.property": _property("property"),
    "builtins.staticmethod": _property("staticmethod"),
    "builtins.classmethod": _property("classmethod"),
    **dict.fromkeys(("builtins.exit", "builtins.quit", "sys.exit"), _exit()),
    "os._exit": _exit(at_once=True),
    "wandb.agent": _agent,
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "os.environ.setdefault": _getenv,
    "os.environ.update": _update_environment,
    "os.path.join": _join,
    "pathlib.Path": _path,
    "collections.defaultdict": _defaultdict,
    "collections.Counter": _counter,
    **{name: _property_of(name) for name in sorted(modes.NO_GRAD)},
    "functools.partial": _partial,
    "functools.lru_cache": call_cache.caching,
    "functools.cache": call_cache.caching,
    "functools.wraps": _wraps,
    **dict.fromkeys(("builtins.__import__", "importlib.import_module"), imports.by_name),
    "itertools.islice": islice_of,
    "contextlib.contextmanager": _contextmanager,
    "contextlib.asynccontextmanager": _contextmanager,
    **dict.fromkeys(tables.names("tensor_makers"), _tensor),
    "torch.compile": _compile,
    "torch.nn.ModuleDict": module_containers.module_dict,
    "torch.nn.ModuleList": module_containers.module_list,
    "torch.nn.Sequential": module_containers.sequential,
    _SCRIPTED: _script,
    "tqdm.tqdm_notebook": bar,
    "tqdm.notebook.tqdm_notebook": bar,
    "copy.deepcopy": copied,
    "copy.copy": copied,
    **dict.fromkeys(COPYING, changed_copy),
    "typing.cast": lambda w, args, kwargs, node: args[1] if len(args) == 2 else None,
}

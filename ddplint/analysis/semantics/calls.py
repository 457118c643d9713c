"""Calls: of project functions and classes (walked), of everything else (asked of the models)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.facts import Origin, Reason
from ddplint.analysis.domain.join import alternatives, by_rank, either, parted, project
from ddplint.analysis.domain.symbols import Symbol, fresh, symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Class,
    Const,
    Container,
    Either,
    External,
    Function,
    Generator,
    Group,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
    ranks_of,
    unknown,
    varying_in,
)
from ddplint.analysis.interp.interpreter import MAX_DEPTH, CallFrame, Return_
from ddplint.analysis.memory import aliases, filling, presence
from ddplint.analysis.models import dispatch, loaders, wrapped
from ddplint.analysis.openworld import (
    abstract_methods,
    class_choice,
    framework_hooks,
    initial_state,
    one_process,
    rank_evidence,
    stand_ins,
    type_hints,
)
from ddplint.analysis.semantics import attributes, expressions, may_raise, reads, statements
from ddplint.analysis.summaries import call_budget, call_cache, silent_modules, syntax, transparent_classes
from ddplint.analysis.trace.nodes import Exit, Opaque, Scope, matters
from ddplint.project.visits import MADE, RAN

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.project.modules import Module

RETURNS = frozenset({"return"})
EXITS = RETURNS | {"raise", "exit", "break", "continue", "done", "skip", "next"}

Args = list[Value]
Kwargs = dict[str, Value]


def load(w: Walker, module: Module) -> None:
    """Run a project module's top level once (quietly: what a module does on import is not compared)."""
    if module.key in w.loaded:
        return
    w.loaded.add(module.key)
    module.scope = w.new_scope(None)
    light = not module.is_package and not module.file.mentions(w.words)
    if light:
        w.plain[module.name] = module
        if not silent_modules.is_worth_it(w, module):
            return
    w.followed += 1
    if w.followed > w.max_modules:
        w.limit(f"more than {w.max_modules} modules: further ones not followed")
        return
    tree = module.tree()
    if tree is None:
        w.limit(f"{module.file.path}: could not be parsed, not followed")
        return
    with out_of_sight(w, module):
        w.state.write((module.scope, "__name__"), Const(module.name))
        statements.block(w, tree.body)
        if light:
            silent_modules.keep_those_that_work(w, module, tree)
        initial_state.loaded(w, module)


@contextmanager
def out_of_sight(w: Walker, module: Module) -> Iterator[None]:
    """What runs inside belongs to no path of the program: it is not compared, and what it writes stays."""
    frames, w.frames = w.frames, [CallFrame(module, "<module>", module.scope, None)]
    guards, loops, tries, local = w.guards, w.loops, w.tries, w.locals
    w.guards, w.loops, w.tries, w.locals = (), [], [], ()
    w.quiet += 1
    try:
        with w.state.unjournaled():
            yield
    finally:
        w.quiet -= 1
        w.frames, w.guards, w.loops, w.tries, w.locals = frames, guards, loops, tries, local


def function_value(w: Walker, node: cst.FunctionDef | cst.Lambda, name: str, owner: Class | None = None) -> Function:
    """The value of a ``def`` or ``lambda`` in the current scope."""
    w.keep_scopes()
    scope = w.frame.scope
    if owner is not None:
        scope = w.parents.get(w.frame.scope) or w.frame.scope
    return Function(node, w.frame.module, scope, name, w.owner((id(node), scope)), owner)


def call(w: Walker, node: cst.Call) -> Value:
    """A call expression."""
    func = node.func
    if type(func) is cst.Name and func.value == "super":
        return _super(w)
    if type(func) is cst.Attribute:
        receiver = expressions.evaluate(w, func.value)
        reads.attribute_read(w, receiver, func)
        name = func.attr.value
        args, kwargs = arguments(w, node)
        return w.split(receiver, node, "call", lambda seen: _method(w, seen, name, args, kwargs, node)) or unknown(
            "call"
        )
    function = expressions.evaluate(w, func)
    args, kwargs = arguments(w, node)
    return call_value(w, function, args, kwargs, node)


def _place_in(w: Walker, group: Unknown | Varying) -> Value:
    """``group.rank()``, where nothing is known of the group."""
    grouped = isinstance(group, Unknown) and w.frame.module.communicates
    return Unknown(symbol("membership" if grouped else "rank", group.symbol))


def _method(w: Walker, receiver: Value, name: str, args: Args, kwargs: Kwargs, node: cst.Call) -> Value:
    if w.bare and receiver in w.bare and name not in dispatch.of_modules(w):
        wrapped.note_bare(w, receiver, name, args, kwargs, node)
    if isinstance(receiver, (Unknown, Varying)):
        function = attributes.get(w, receiver, name, node)
        if name == "rank" and not node.args and isinstance(function, (PerRank, Unknown)):
            return _place_in(w, receiver)
        if isinstance(function, (Unknown, Varying)):
            presence.wanted(w, name)
            return dispatch.of_unknown(w, receiver, name, args, kwargs, node)
        return call_value(w, function, args, kwargs, node)
    if isinstance(receiver, Instance) and not attributes.has_own(w, receiver, name):
        bases = attributes.external_bases(w, receiver.cls)
        if bases:
            return dispatch.call_method(w, attributes.inherited(w, bases, name), receiver, args, kwargs, node)
    function = attributes.get(w, receiver, name, node)
    return call_value(w, function, args, kwargs, node)


def arguments(w: Walker, node: cst.Call) -> tuple[Args, Kwargs]:
    """The evaluated arguments; star arguments of unknown length become ``*``/``**`` markers that bind to unknowns."""
    args: Args = []
    kwargs: Kwargs = {}
    for arg in node.args:
        value = expressions.evaluate(w, arg.value)
        if arg.star == "*":
            items = items_of(w, value)
            if items is None:
                kwargs["*"] = value
            else:
                args += items
        elif arg.star == "**":
            pairs = pairs_of(w, value)
            if pairs is None:
                kwargs["**"] = value
            for pair in pairs or ():
                key, item_value = pair.items if isinstance(pair, Tuple) else (NONE, NONE)
                if isinstance(key, Const) and isinstance(key.value, str):
                    kwargs[key.value] = item_value
        elif arg.keyword is not None:
            kwargs[arg.keyword.value] = value
        else:
            args.append(value)
    return args, kwargs


def call_value(w: Walker, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call any value."""
    function = w.state.narrow(function)
    if w.bare and function in w.bare:
        wrapped.note_bare(w, function, "", args, kwargs, node)
        function = wrapped.changed(w, function)
    if isinstance(function, (PerRank, Either)):
        return w.split(function, node, "call", lambda seen: call_value(w, seen, args, kwargs, node)) or NONE
    if isinstance(function, Function):
        return call_function(w, function, args, kwargs, node)
    if isinstance(function, Bound):
        if isinstance(function.function, (Function, OnRanks, Partial)):
            return call_value(w, function.function, [function.receiver, *args], kwargs, node)
        may_raise.note_call(w, function.function, [function.receiver, *args], kwargs)
        if isinstance(function.function, External):
            return dispatch.call_method(w, function.function.name, function.receiver, args, kwargs, node)
        return call_value(w, function.function, args, kwargs, node)
    may_raise.note_call(w, function, args, kwargs)
    if isinstance(function, External):
        return dispatch.call_external(w, function.name, args, kwargs, node)
    if isinstance(function, Class):
        return instantiate(w, function, args, kwargs, node)
    if isinstance(function, Partial):
        return call_value(w, function.function, [*function.args, *args], {**dict(function.kwargs), **kwargs}, node)
    if isinstance(function, OnRanks):
        inner = function.function
        return w.on_ranks(
            function.ranks, function.trail, node, "decorator", lambda: call_value(w, inner, args, kwargs, node)
        )
    if isinstance(function, Instance):
        return _call_instance(w, function, args, kwargs, node)
    if isinstance(function, Wrapped):
        return dispatch.forward(w, function, args, kwargs, node)
    if isinstance(function, Object):
        return dispatch.call_object(w, function, args, kwargs, node)
    return dispatch.call_unknown(w, function, args, kwargs, node)


def _call_instance(w: Walker, receiver: Instance, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    for name in ("__call__", "forward"):
        found, _ = attributes.find_in_class(w, receiver.cls, name)
        if found is not None:
            return call_value(w, found, [receiver, *args], kwargs, node)
    opaque(w, node, receiver.cls.name)
    return expressions.derived(("call", receiver), args)


def _super(w: Walker) -> Value:
    frame = next((f for f in reversed(w.frames) if f.owner is not None), None)
    if frame is None or frame.receiver is None or frame.owner is None:
        return unknown("super")
    return Object("builtins.super", w.owner(("super", frame.owner, frame.receiver)), (frame.owner, frame.receiver))


def super_attribute(w: Walker, base: Object, name: str, node: cst.CSTNode) -> Value | None:
    """``super().name``: the next definition after the class the method stands in."""
    owner, receiver = base.args
    assert isinstance(owner, Class)
    for parent in owner.bases:
        parent = attributes.base_of(w, parent)
        if isinstance(parent, Class):
            found, _ = attributes.find_in_class(w, parent, name)
            if found is not None:
                return Bound(found, receiver) if isinstance(found, (Function, OnRanks)) else found
        if isinstance(parent, External) and w.knowledge.lookup(f"{parent.name}.{name}") is not None:
            return Bound(External(f"{parent.name}.{name}"), receiver)
    return None


def instantiate(w: Walker, cls: Class, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """A new object of a project class: ``__init__`` is walked."""
    full = f"{cls.module.name}.{cls.name}"
    if cls.module is not w.home and w.knowledge.is_class(full):
        return w.external_object(full, args, kwargs, node)
    loader = transparent_classes.loader_below(w, cls)
    if loader is not None:
        return call_value(w, loader, args, kwargs, node)
    new = aliases.object_of(w, cls) or w.instance(cls)
    _note_made(w, cls)
    if any(base.endswith("Sampler") for base in attributes.external_bases(w, cls)):
        w.emit(cls.name, "sampler", node, args=args, kwargs=kwargs, result=new)
    elif any("rank" in name for name in kwargs):
        w.emit(cls.name, "ranked", node, args=args, kwargs=kwargs, result=new)
    start, _owner = attributes.find_in_class(w, cls, "__init__")
    if start is not None:
        call_value(w, start, [new, *args], kwargs, node)
    else:
        _dataclass_fields(w, new, args, kwargs, node)
    return new


def _note_made(w: Walker, cls: Class) -> None:
    """Note which ranks make an object of a class; what a module makes on import, all do."""
    ranks = EVERYONE if w.quiet else w.state.mask
    for each in attributes.lineage(w, cls):
        w.visits.note(MADE, each.node, each.module.file, ranks)


def _dataclass_fields(w: Walker, new: Instance, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    fields = w.state.read((new.cls.key, "__fields__"))
    names = [item.value for item in fields.items if isinstance(item, Const)] if isinstance(fields, Tuple) else []
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        w.state.write((new.id, name), value)
        _note_kind(w, new, name, value)
    after, _owner = attributes.find_in_class(w, new.cls, "__post_init__")
    if after is not None and names:
        call_value(w, after, [new], {}, node)


def _note_kind(w: Walker, new: Instance, name: str, value: Value) -> None:
    """What a class of the tables is made with is of the class that the tables name (``Trainer(args=args)``)."""
    if isinstance(value, Unknown):
        kinds = (w.knowledge.type_of(f"{base}.{name}") for base in attributes.external_bases(w, new.cls))
        kind = next((one for one in kinds if one is not None), None)
        if kind is not None:
            w.kinds[value.symbol] = kind


def opaque(w: Walker, node: cst.CSTNode, name: str, model: bool = False, args: Sequence[Value] = ()) -> None:
    """Note a call that could not be followed and might communicate."""
    w.risks.anything += 1
    if not w.quiet and w.frame.module.key not in w.light:
        w.state.trace.append(Opaque(w.here(node), name, w.state.mask, model))
        w.emit(name, "opaque", node, args=args)


def call_function(w: Walker, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Walk a project function in the context of this call."""
    w.tick()
    known = dispatch.known_project_function(w, function, args, kwargs, node)
    w.risks.anything += known is not None or function.module.key in w.light
    if known is not None:
        return known
    if syntax.is_generator(function.node):
        loaders.note_generator(w, function, args, kwargs, node)
        return Generator(function, tuple(args), tuple(kwargs.items()))
    result = call_cache.recall(w, function, args, kwargs) or call_budget.known(w, function, args, kwargs)
    if result is None:
        before, start = w.risks.so_far(), call_budget.before(w)
        result = run_function(w, function, args, kwargs, node)
        call_budget.note(w, function, start, result)
        call_cache.keep(w, function, args, kwargs, result)
        if w.risks == before:
            result = call_cache.asked_before(w, function, args, kwargs, result)
    return result


_MAX_RECURSION = 6


def _recurses(w: Walker, function: Function, args: Sequence[Value]) -> bool:
    """Whether a function is on the stack too often: more than once, or, counting down known numbers, a few times."""
    active = sum(frame.callee == function for frame in w.frames)
    if active <= 1:
        return False
    counted = any(isinstance(arg, Const) and type(arg.value) is int for arg in args)
    return not counted or active > _MAX_RECURSION


def run_function(
    w: Walker,
    function: Function,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    node: cst.CSTNode,
    on_yield: object = None,
) -> Value:
    """Walk a function's body; the trace gets a scope, the result is what the ranks and paths return."""
    if w.tired or len(w.frames) > MAX_DEPTH or _recurses(w, function, args):
        if w.tired:
            w.limit("step budget used up: further calls are not followed")
        opaque(w, node, function.name)
        return expressions.derived(("call", function), list(filter(may_raise.is_shared, args)))
    if args and isinstance(args[0], Instance) and args[0].id in w.imagined and abstract_methods.is_left_open(function):
        opaque(w, node, function.name)
        return expressions.derived(("left open", function), list(filter(may_raise.is_shared, args)))
    w.called.add(function.key)
    if not w.quiet:
        w.visits.note(RAN, function.node, function.module.file, w.state.mask)
    scope = w.new_scope(function.scope)
    receiver = args[0] if function.owner is not None and args else None
    frame = CallFrame(
        function.module,
        _qualified(function),
        scope,
        node,
        callee=function,
        receiver=receiver,
        owner=function.owner,
        known=w.state.path,
        locals_depth=len(w.locals),
        on_yield=on_yield,  # type: ignore[arg-type]
    )
    if w.tail is not None and w.tail.node is node:
        frame.then, w.tail.taken = w.tail.then, True
    mask, path, guards, local, loops = w.state.mask, w.state.path, w.guards, w.locals, w.loops
    stays = w.state.stays
    w.frames.append(frame)
    w.state.begin_call()
    w.loops = []
    result: Value = NONE
    light = function.module.key in w.light
    try:
        _bind(w, function, list(args), dict(kwargs))
        with one_process.inside(w, one_process.is_given(function, args, kwargs)):
            nodes = w.trace_of(lambda: _body(w, function, frame))
        if matters(nodes, EXITS if light else RETURNS):
            w.state.trace.append(Scope(nodes))
        result = _returned(w, frame, mask)
        gained = _gained(w, frame)
    finally:
        w.frames.pop()
        w.state.end_call(None if scope in w.lasting else scope)
        w.loops = loops
    alive = mask if light else w.state.mask
    for way in frame.returns:
        alive |= way.mask
    w.state.mask, w.state.stays = alive & mask, stays
    w.state.path = path.add_all(gained) if gained else path
    if w.state.mask == mask:
        w.guards, w.locals = guards, local
    return w.state.narrow(result)


def _qualified(function: Function) -> str:
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name


def _body(w: Walker, function: Function, frame: CallFrame) -> None:
    if isinstance(function.node, cst.Lambda):
        value = expressions.evaluate(w, function.node.body)
        _leave(w, value)
        return
    body = function.node.body
    if function.key in w.without_grad:
        dispatch.without_grad(w, lambda: statements.block(w, body.body))
    else:
        statements.block(w, body.body)


def _taken(w: Walker, frame: CallFrame) -> tuple[tuple[Symbol, bool], ...]:
    """What the path takes for granted that it did not when the function was called."""
    added = w.state.path.since(frame.known).items()
    return tuple((what, known) for what, known in added if what.key[0] not in ("not", "and", "or"))


def _gained(w: Walker, frame: CallFrame) -> list[tuple[Symbol, bool]]:
    """What holds behind a call, whichever way its function was left: a helper that raises unless all is well."""
    ways = [way.literals for way in frame.returns]
    if w.state.mask:
        ways.append(_taken(w, frame))
    return [one for one in ways[0] if all(one in way for way in ways[1:])] if ways else []


def _leave(w: Walker, value: Value) -> None:
    """``return``: the active ranks leave the function with a value."""
    frame = w.frame
    literals = _taken(w, frame)
    local = w.locals[-1] if len(w.locals) > frame.locals_depth else None
    frame.returns.append(Return_(w.state.mask, literals, local, value))
    w.state.mask = 0


def leave(w: Walker, value: Value, node: cst.CSTNode) -> None:
    """A ``return`` statement."""
    w.state.trace.append(Exit("return", w.here(node)))
    _leave(w, value)


def _returned(w: Walker, frame: CallFrame, mask: int) -> Value:
    ways = list(frame.returns)
    if w.state.mask:
        local = w.locals[-1] if len(w.locals) > frame.locals_depth else None
        ways.append(Return_(w.state.mask, (), local, NONE))
    if any(outer.then for outer in w.frames):  # that a rank failed matters where the result goes back to a framework
        ways.sort(key=lambda way: way.local is None or way.local.reason is not Reason.EXCEPTION)
    if not ways:
        return NONE
    if len(ways) == 1:
        return ways[0].value
    results: list[Value] = [UNBOUND] * 4
    same: dict[tuple[object, ...], Value] = {}
    for rank in ranks_of(mask):
        key = tuple((id(way), project(way.value, rank)) for way in ways if way.mask >> rank & 1)
        if key not in same:
            same[key] = _result_for(rank, ways)
        results[rank] = same[key]
    spare = next((value for value in results if value is not UNBOUND), NONE)
    results = [spare if value is UNBOUND else value for value in results]
    guard = w.guards[-1] if w.guards else None
    back = Trail(Origin(guard.file, guard.node, "")) if guard is not None and guard.origins else None
    return by_rank(results, back)


def _result_for(rank: int, ways: list[Return_]) -> Value:
    taken = [way for way in ways if way.mask >> rank & 1]
    if not taken:
        return UNBOUND
    result = project(taken[-1].value, rank)
    for way in reversed(taken[:-1]):
        value = project(way.value, rank)
        if way.local is not None:
            result = parted(way.local, value, result)
        else:
            for what, known in reversed(way.literals):
                value = either(what, value, result) if known else either(what, result, value)
            result = value
    return result


def _bind(w: Walker, function: Function, args: Args, kwargs: Kwargs) -> None:
    """Bind arguments to parameters; what the call leaves open takes its default or becomes unknown."""
    params = function.node.params
    scope = w.frame.scope
    spread = kwargs.pop("*", None) or kwargs.pop("**", None)
    kwargs.pop("**", None)
    positional = (*params.posonly_params, *params.params)
    for index, param in enumerate(positional):
        name = param.name.value
        value = args[index] if index < len(args) else _given(w, function, param, kwargs, spread)
        w.state.write((scope, name), _noted(w, function, param, value))
    for param in params.kwonly_params:
        value = _given(w, function, param, kwargs, spread)
        w.state.write((scope, param.name.value), _noted(w, function, param, value))
    if isinstance(params.star_arg, cst.Param):
        rest = args[len(positional) :]
        is_known = spread is None and not _is_called_by_nobody(w)
        w.state.write((scope, params.star_arg.name.value), Tuple(tuple(rest)) if is_known else unknown("args"))
    if params.star_kwarg is not None:
        pairs = [Tuple((Const(key), value)) for key, value in kwargs.items()]
        w.state.write((scope, params.star_kwarg.name.value), w.container("dict", pairs if spread is None else None))


def _noted(w: Walker, function: Function, param: cst.Param, value: Value) -> Value:
    """An argument; of one that is not known, the annotation may name a class of the project."""
    if param.annotation is not None:
        for part in alternatives(value):
            if type(part) is Unknown:
                stand_ins.promise(w, part.symbol, param.annotation.annotation, function.scope)
    return value


def _given(w: Walker, function: Function, param: cst.Param, kwargs: Kwargs, spread: Value | None) -> Value:
    name = param.name.value
    if name in kwargs:
        return kwargs.pop(name)
    if spread is not None:
        local = varying_in(spread)
        if local is not None:
            return Varying(local.reason, fresh(name), local.trail)
        return rank_evidence.of_parameter(w, function, param) or unknown(name)
    is_entry = len(w.frames) == 2
    is_open = is_entry and not (param.default is not None and _is_left_out(w, function))
    found = rank_evidence.of_parameter(w, function, param) if is_open else None
    if found is not None:
        return found
    if is_open and _is_switch(function, param):
        return typed(w, function, param) or _open(param)
    if param.default is not None:
        scope, w.frame.scope = w.frame.scope, function.scope
        try:
            return expressions.evaluate(w, param.default)
        finally:
            w.frame.scope = scope
    return rank_evidence.of_parameter(w, function, param) or typed(w, function, param) or _open(param)


def _open(param: cst.Param) -> Unknown:
    """An argument that nobody gives."""
    return Unknown(symbol("parameter", param.name.value, fresh(param.name.value)))


def _is_called_by_nobody(w: Walker) -> bool:
    """Whether a walk begins with this function: who calls it, and with what, is not known."""
    return len(w.frames) == 2 and not isinstance(w.frame.call, cst.Call)


def _is_left_out(w: Walker, function: Function) -> bool:
    """Whether a call in the program leaves the argument out, and no decorator gives it."""
    return isinstance(w.frame.call, cst.Call) and not getattr(function.node, "decorators", ())


_PROCESSES = re.compile(r"world_?size|n(?:um|r)?_?(?:gpus?|procs|processes|replicas|ranks)")
"""How a parameter is called that says how many processes there are: one, where nobody says otherwise."""
_CHOICES = ("strategy", "mode", "parallel", "sharding", "distributed", "engine", "wrap")


def _is_switch(function: Function, param: cst.Param) -> bool:
    """Whether a default is one of several cases, of which an unknown caller may want another.

    Groups are taken to be the world where nobody says otherwise.
    """
    name, given = param.name.value, param.default
    if isinstance(given, cst.Integer) and given.value in ("0", "1") and _PROCESSES.fullmatch(name):
        return True
    if isinstance(given, cst.SimpleString) and any(word in name for word in _CHOICES):
        return True
    if isinstance(given, (cst.SimpleString, cst.Integer, cst.Float, cst.UnaryOperation)):
        return _is_compared(function, name)
    return isinstance(given, cst.Name) and given.value in ("None", "True", "False") and "group" not in name


def _is_compared(function: Function, name: str) -> bool:
    """Whether a function asks which case an argument is, or the object does that it is kept in."""
    node, owner = function.node, function.owner
    if not isinstance(node, cst.FunctionDef):
        return False
    if syntax.compares(node, name):
        return True
    return owner is not None and any(syntax.compares(owner.node, kept) for kept in syntax.kept_as(node, name))


def typed(w: Walker, function: Function, param: cst.Param) -> Value | None:
    """A parameter whose annotation, or the framework that calls the method, names a class that the tables know."""
    given = framework_hooks.parameter(w, function, param.name.value)
    if param.annotation is None or isinstance(given, Varying):
        return given
    return type_hints.value(w, param.annotation.annotation, function.scope, param.name.value)


def yield_from(w: Walker, node: cst.CSTNode, inner: Value) -> Value:
    """``yield from``: the inner generator yields to the same consumer."""
    if isinstance(inner, Generator) and w.frame.on_yield is not None:
        return run_function(w, inner.function, inner.args, dict(inner.kwargs), node, w.frame.on_yield)
    if w.frame.on_yield is not None:
        w.frame.on_yield(expressions.derived(("element",), [inner]))
    return unknown("yield from")


# -- containers ------------------------------------------------------------------------------------------------------


def items_of(w: Walker, value: Value) -> list[Value] | None:
    """The elements of a container of known content, in order; None where not known.

    Where the path decides between as many elements, each is a choice between two.
    """
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Container):
        content = w.state.read((value.id, ""))
        if isinstance(content, Tuple):
            if value.kind == "dict":
                return [entry.items[0] if isinstance(entry, Tuple) else entry for entry in content.items]
            return list(content.items)
        return items_of(w, content) if value.kind == "list" and isinstance(content, Either) else None
    if isinstance(value, Const) and isinstance(value.value, (str, tuple)) and len(value.value) <= 16:
        return [Const(part) for part in value.value]
    if isinstance(value, Object) and value.name == "builtins.range":
        return _range_items(value)
    if isinstance(value, Either) and value.local is None:
        yes, no = items_of(w, value.yes), items_of(w, value.no)
        if yes is not None and no is not None and len(yes) == len(no):
            return [either(value.symbol, one, other) for one, other in zip(yes, no, strict=True)]
    return None


def _range_items(value: Object) -> list[Value] | None:
    limits = [arg.value for arg in value.args if isinstance(arg, Const)]
    if len(limits) != len(value.args) or not all(isinstance(x, int) for x in limits):
        return None
    try:
        found = range(*limits)
    except (TypeError, ValueError):
        return None
    return [Const(i) for i in found] if len(found) <= 64 else None


def pairs_of(w: Walker, value: Value) -> list[Value] | None:
    """Key-value pairs of a dict of known content."""
    if isinstance(value, Container) and value.kind == "dict":
        content = w.state.read((value.id, ""))
        if isinstance(content, Tuple):
            return [_pair(w, value, entry) for entry in content.items]
    return None


def _pair(w: Walker, base: Container, entry: Value) -> Value:
    """A key with its value; values under constant keys have places of their own, so that they join one by one."""
    if isinstance(entry, Tuple):
        return entry
    return Tuple((entry, stored_item(w, base, entry) or Unknown(symbol("item", base, expressions.key_of(entry)))))


def item(w: Walker, node: cst.CSTNode, base: Value, index: Value) -> Value:
    """``base[index]``."""
    if isinstance(base, External) and base.name == "os.environ" and isinstance(index, Const):
        return dispatch.environment(w, str(index.value), node, None)
    if isinstance(base, Class) or (isinstance(base, External) and base.name.rpartition(".")[2][:1].isupper()):
        return base
    pairs = pairs_of(w, base)
    if pairs is not None:
        for pair in reversed(pairs):
            if isinstance(pair, Tuple) and pair.items[0] == index:
                return pair.items[1]
    if isinstance(base, Container) and pairs is not None and w.state.read((base.id, "factory")) is not None:
        if not filling.keyed(w, base, index):
            w.state.write((base.id, ""), Unknown(fresh("content")))  # who asks for a new key makes it
    elif pairs is not None:
        return class_choice.note(w, base, Unknown(symbol("item", base, expressions.key_of(index))))
    stored = stored_item(w, base, index)
    if stored is not None:
        return stored
    sample = sample_of(w, base, node)
    if sample is not None:
        return sample
    items = items_of(w, base)
    if items is not None and isinstance(index, Const) and isinstance(index.value, int):
        try:
            return items[index.value]
        except IndexError:
            return unknown("item")
    if items is not None and items and all(isinstance(i, (Function, Class, Bound, Partial)) for i in items):
        return unknown("item")
    if isinstance(base, Group):
        return Group(w.owner(("part", base, expressions.key_of(index))), None)
    local = varying_in(base)
    if isinstance(base, Object) and local is None:
        return dispatch.typed(w, f"{base.name}.__getitem__", expressions.derived(("item",), [base, index]))
    if isinstance(base, Container) and local is None:
        local = varying_in(w.state.read((base.id, "")) or NONE)
        if local is not None:
            return Varying(local.reason, symbol("item", local.symbol, expressions.key_of(index)), local.trail)
    if isinstance(base, Container):
        return Unknown(
            symbol("item", base, expressions.key_of(index), w.owner(("content", w.state.store.get((base.id, "")))))
        )
    if dispatch.is_field_of_file(w, base, index):
        return Unknown(symbol("field", id(node), index))  # whichever rank's file it is
    return class_choice.note(w, base, expressions.derived(("item",), [base, index]))


def item_key(w: Walker, base: Value, index: Value) -> tuple[int, str] | None:
    """Where an element under a constant key is kept when the rest of its container is not known."""
    if not isinstance(index, Const):
        return None
    if isinstance(base, Container):
        return aliases.place_of(w, base, index.value) or (base.id, f"[{index.value!r}]")
    if isinstance(base, (Unknown, Varying)):
        return (w.owner(base.symbol), f"[{index.value!r}]")
    return None


def stored_item(w: Walker, base: Value, index: Value) -> Value | None:
    """What was stored under a constant key."""
    where = item_key(w, base, index)
    found = w.state.read(where) if where is not None else None
    return None if found is UNBOUND else found


def sample_of(w: Walker, value: Value, node: cst.CSTNode) -> Value | None:
    """What any element of a container of unknown content is, where that is known (a ``defaultdict``'s factory)."""
    if not isinstance(value, Container):
        return None
    found = w.state.read((value.id, "element"))
    factory = w.state.read((value.id, "factory"))
    if found is None and factory is not None:
        found = call_value(w, factory, [], {}, node)
        w.state.write((value.id, "element"), found)
    return None if found is UNBOUND else found


def in_environment(w: Walker, name: str) -> Value:
    """Whether an environment variable is set: the launcher's are."""
    row = w.knowledge.env(name)
    if (row is not None and row.rank) or name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        w.distributed = True
        return TRUE
    return Unknown(symbol("environment", name, "set"))


def reason_of(value: Value) -> Reason:
    local = varying_in(value)
    return local.reason if local else Reason.IDENTITY

"""Calls: of project functions and classes (walked), of everything else (asked of the models)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import libcst as cst

from ddplint.analysis.domain import limits, provenance, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.path_condition import independent
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    Bound,
    Class,
    Const,
    Either,
    External,
    Function,
    Generator,
    Instance,
    Object,
    OnRanks,
    Partial,
    PerRank,
    Unknown,
    Value,
    Varying,
    Wrapped,
    unknown,
)
from ddplint.analysis.interp import asides, implied, left_behind, recording
from ddplint.analysis.memory import classes, presence, wrapping
from ddplint.analysis.memory.frames import CallFrame, Return_
from ddplint.analysis.memory.modes import GradFree
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.wrapping import WrappedModels
from ddplint.analysis.models import decorators, dispatch, results, unmodelled
from ddplint.analysis.models.data import loaders
from ddplint.analysis.models.distributed import module_containers, parts, wrapped
from ddplint.analysis.openworld.programs import one_process, orders
from ddplint.analysis.openworld.values import initial_state, reflective_writes, stand_ins
from ddplint.analysis.openworld.values.stand_ins import StandIns
from ddplint.analysis.semantics import may_raise, names
from ddplint.analysis.semantics.calling import binding, instances, own_sources, replay, returned
from ddplint.analysis.semantics.looping import drawing
from ddplint.analysis.summaries import call_cache, computed, delegation, helper_modules, syntax
from ddplint.analysis.summaries.helper_modules import HelperModules, Unheard
from ddplint.analysis.trace.events import LoopFrame
from ddplint.analysis.trace.exits import EXITS, RETURNS, ExitKind
from ddplint.analysis.trace.nodes import Exit, Scope, matters
from ddplint.project.modules import Module
from ddplint.project.visits import RAN


def load(w: Interp, module: Module) -> None:
    """Run a project module's top level once (quietly: what a module does on import is not compared)."""
    if module.key in w.loaded:
        return
    w.loaded.add(module.key)
    module.scope = w.new_scope(None)
    light = not module.is_package and w.project.is_plain(module)
    if light:
        w.record(HelperModules).plain[module.name] = module
        if not helper_modules.is_worth_it(w, module):
            return
    w.followed += 1
    if w.followed > limits.MODULES and not helper_modules.is_led_to(w, module):
        w.limit(f"more than {limits.MODULES} modules: further ones not followed, but those that calls lead to")
        return
    tree = module.tree()
    if tree is None:
        w.limit(f"{module.file.path}: {module.unread}, not followed")
        return
    with asides.out_of_sight(w, module):
        w.state.write((module.scope, "__name__"), Const(module.name))
        w.semantics.block(w, tree.body)
        if light:
            helper_modules.keep_those_that_work(w, module, tree)
        initial_state.loaded(w, module)


def call(w: Interp, node: cst.Call) -> Value:
    """A call expression."""
    func = node.func
    if type(func) is cst.Name and func.value == "super":
        return instances.super_object(w)
    if type(func) is cst.Attribute:
        receiver = implied.asked_for(w, w.semantics.evaluate(w, func.value), func.attr.value)
        names.attribute_read(w, receiver, func)
        name = func.attr.value
        args, kwargs = binding.arguments(w, node)
        return w.split(
            receiver, node, GuardKind.CALL, lambda seen: _method(w, seen, name, args, kwargs, node)
        ) or unknown("call")
    function = w.semantics.evaluate(w, func)
    args, kwargs = binding.arguments(w, node)
    return call_value(w, function, args, kwargs, node)


def _place_in(w: Interp, group: Unknown | Varying) -> Value:
    """``group.rank()``, where nothing is known of the group."""
    grouped = isinstance(group, Unknown) and w.project.index.communicates(w.frame.module.file)
    return Unknown(symbol("membership" if grouped else "rank", group.symbol))


def _method(w: Interp, receiver: Value, name: str, args: Args, kwargs: Kwargs, node: cst.Call) -> Value:
    if name == "sort":
        orders.put(w, receiver, None)
    bare = w.record(WrappedModels).bare
    if bare and (name == "forward" or (receiver in bare and name not in results.of_modules(w))):
        wrapped.note_bare(w, receiver, name, args, kwargs, node)
    if isinstance(receiver, Object):
        drawing.by_library(w, receiver, name, node)
    if isinstance(receiver, (Unknown, Varying)):
        function = w.semantics.get(w, receiver, name, node)
        if name == "rank" and not node.args and isinstance(function, (PerRank, Unknown)):
            return _place_in(w, receiver)
        if isinstance(function, (Unknown, Varying)):
            if (known := results.method_named(w, receiver, name)) is not None:
                return dispatch.call_method(w, known, receiver, args, kwargs, node)
            presence.wanted(w, name)
            return unmodelled.of_unknown(w, receiver, name, args, kwargs, node)
        return call_value(w, function, args, kwargs, node)
    if isinstance(receiver, Instance) and not classes.has_own(w, receiver, name):
        bases = classes.external_bases(w, receiver.cls)
        if bases and not delegation.has_it(w, delegation.asked_instead(w, receiver, name), name):
            return dispatch.call_method(w, classes.inherited(w, bases, name), receiver, args, kwargs, node)
    function = w.semantics.get(w, receiver, name, node)
    return call_value(w, function, args, kwargs, node)


def call_value(w: Interp, function: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Call any value."""
    function = w.state.narrow(function)
    wrapped.note_bare(w, function, "", args, kwargs, node)
    if function in w.record(WrappedModels).bare:
        function = wrapping.changed(w, function)
    if isinstance(function, (PerRank, Either)):
        return w.split(function, node, GuardKind.CALL, lambda seen: call_value(w, seen, args, kwargs, node)) or NONE
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
    if not module_containers.is_passed_through(w, function, args):
        parts.called(w, function, node)
    if isinstance(function, External):
        return dispatch.call_external(w, function.name, args, kwargs, node)
    if isinstance(function, Class):
        return instances.instantiate(w, function, args, kwargs, node)
    if isinstance(function, Partial):
        return call_value(w, function.function, [*function.args, *args], {**dict(function.kwargs), **kwargs}, node)
    if isinstance(function, OnRanks):
        inner = function.function
        return w.on_ranks(
            function.ranks, function.trail, node, GuardKind.DECORATOR, lambda: call_value(w, inner, args, kwargs, node)
        )
    if isinstance(function, Instance):
        return instances.call_instance(w, function, args, kwargs, node)
    if isinstance(function, Wrapped):
        return wrapped.forward(w, function, args, kwargs, node)
    if isinstance(function, Object):
        return dispatch.call_object(w, function, args, kwargs, node)
    return unmodelled.call_unknown(w, function, args, kwargs, node)


def call_function(w: Interp, function: Function, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value:
    """Walk a project function in the context of this call."""
    w.tick()
    left = helper_modules.left_alone(w, function, args, kwargs)
    if left is not None:
        for value, name in helper_modules.asked_methods(w, function, args, kwargs):
            if not results.is_quiet(w, name):
                reflective_writes.by_method(w, value, [UNBOUND], name, node)
        return dispatch.call_external(w, left.name, args, kwargs, node)
    known = own_sources.known(w, function, args, kwargs, node, lambda: run_function(w, function, args, kwargs, node))
    if known is not None:
        w.risks.note(w.state.path)
        return known
    if function.module.key in w.record(HelperModules).keys:
        may_raise.note_unfollowed(w, function, (*args, *kwargs.values()))
    if syntax.is_generator(function.node):
        loaders.note_generator(w, function, args, kwargs, node)
        return Generator(function, tuple(args), tuple(kwargs.items()))
    result = call_cache.recall(w, function, args, kwargs) or replay.replayed(w, function, args, kwargs)
    if result is None:
        before = w.risks.so_far()
        walk = partial(replay.remembered, w, function, partial(run_function, w, function, args, kwargs, node))
        result = computed.result(w, function, args, kwargs, node, walk)
        call_cache.keep(w, function, args, kwargs, result)
        if w.risks == before:
            result = call_cache.asked_before(w, function, args, kwargs, result)
    return result


def _recurses(w: Interp, function: Function, args: Sequence[Value]) -> bool:
    """Whether a function is on the stack too often: more than once, or, counting down known numbers, a few times.

    One that only computes is not followed by its numbers: each call of itself may have several in it.
    """
    active = sum(frame.callee == function for frame in w.frames)
    if active <= 1 or computed.only_computes(w, function):
        return active > 1
    counted = any(isinstance(arg, Const) and type(arg.value) is int for arg in args)
    return not counted or active > limits.RECURSION


def run_function(
    w: Interp,
    function: Function,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    node: cst.CSTNode,
    on_yield: object = None,
) -> Value:
    """Walk a function's body; the trace gets a scope, the result is what the ranks and paths return."""
    if w.tired or len(w.frames) > limits.CALL_DEPTH or _recurses(w, function, args):
        if w.tired or len(w.frames) > limits.CALL_DEPTH:
            deep = f"more than {limits.CALL_DEPTH} calls in calls: deeper ones not followed"
            w.limit("step budget used up: further calls are not followed" if w.tired else deep)
        asides.opaque(w, node, function.name, beside=(*args, *kwargs.values()))
        return terms.derived(("call", function), list(filter(provenance.is_shared, args)))
    stood_in = args and isinstance(args[0], Instance) and args[0].id in w.record(StandIns).objects
    if stood_in and stand_ins.is_left_open(function):
        asides.opaque(w, node, function.name, beside=(*args, *kwargs.values()))
        return terms.derived(("left open", function), list(filter(provenance.is_shared, args)))
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
        begun=left_behind.depth(w),
        on_yield=on_yield,  # type: ignore[arg-type]
    )
    if w.tail is not None and w.tail.node is node:
        frame.then, w.tail.taken = w.tail.then, True
    mask, path, guards, local = w.state.mask, w.state.path, w.guards, w.locals
    w.frames.append(frame)
    w.state.begin_call()
    unheard = w.record(Unheard).depth > 0
    light = unheard or function.module.key in w.record(HelperModules).keys
    try:
        with w.saved(loops=[], path=path, stays=w.state.stays):
            binding.bind(w, function, list(args), dict(kwargs))
            with one_process.inside(w, one_process.is_given(function, args, kwargs)):
                nodes = w.trace_of(lambda: _body(w, function, frame))
            if matters(nodes, EXITS if light else RETURNS):
                w.state.trace.append(Scope(nodes))
            result = returned.of_call(w, frame, mask)
            gained = [] if unheard else _gained(w, frame)
            with w.saved(mask=mask):
                left_behind.fold(w, frame.left, path, w.state.journals[-1], scope)
    finally:
        w.frames.pop()
        w.state.end_call(None if scope in w.lasting else scope)
    alive = mask if light else w.state.mask
    for way in frame.returns:
        alive |= way.mask
    w.state.mask = alive & mask
    if gained:
        w.state.assume(gained)
    if w.state.mask == mask:
        w.guards, w.locals = guards, local
    return w.state.narrow(result)


def _qualified(function: Function) -> str:
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name


def _body(w: Interp, function: Function, frame: CallFrame) -> None:
    if isinstance(function.node, cst.Lambda):
        value = w.semantics.evaluate(w, function.node.body)
        _leave(w, value)
        return
    body = function.node.body
    if function.key in w.record(GradFree).functions:
        decorators.without_grad(w, lambda: w.semantics.block(w, body.body))
    else:
        w.semantics.block(w, body.body)


def _taken(w: Interp, frame: CallFrame) -> tuple[tuple[Symbol, bool], ...]:
    """What the path takes for granted that it did not when the function was called."""
    return tuple(independent(w.state.path.since(frame.known)))


def _gained(w: Interp, frame: CallFrame) -> list[tuple[Symbol, bool]]:
    """What holds behind a call, whichever way its function was left: a helper that raises unless all is well."""
    ways = [way.literals for way in frame.returns]
    if w.state.mask:
        ways.append(_taken(w, frame))
    return [one for one in ways[0] if all(one in way for way in ways[1:])] if ways else []


def _leave(w: Interp, value: Value) -> None:
    """``return``: the active ranks leave the function with a value."""
    frame = w.frame
    literals = _taken(w, frame)
    local = w.locals[-1] if len(w.locals) > frame.locals_depth else None
    frame.returns.append(Return_(w.state.mask, literals, local, value))
    left_behind.leave(w, frame.left, frame.begun)
    w.state.leave()


def leave(w: Interp, value: Value, node: cst.CSTNode) -> None:
    """A ``return`` statement."""
    w.state.trace.append(Exit(ExitKind.RETURN, w.here(node)))
    _leave(w, value)


def yield_from(w: Interp, node: cst.CSTNode, inner: Value) -> Value:
    """``yield from``: the inner generator yields to the same consumer."""
    if isinstance(inner, Generator) and w.frame.on_yield is not None:
        return run_function(w, inner.function, inner.args, dict(inner.kwargs), node, w.frame.on_yield)
    taken = w.frame.on_yield
    if taken is None:
        return unknown("yield from")
    loop = LoopFrame(w.frame.module.file, node, w.frame.function, inner, len(w.frames))
    _, local = w.semantics.element_of(w, inner, node)
    with w.saved(around=(*w.around, loop)):
        nodes = w.trace_of(lambda: taken(terms.derived(("element",), [inner])))
    if local is None:
        w.state.trace += nodes
    else:
        recording.append_loop(w, nodes, node, local)
    return unknown("yield from")

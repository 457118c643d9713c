"""What statements do."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import GuardKind
from ddplint.analysis.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Container,
    Unknown,
    Value,
)
from ddplint.analysis.interp import left_behind
from ddplint.analysis.memory import containers, presence
from ddplint.analysis.memory.frames import Tail
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.data import iterables
from ddplint.analysis.models.data.iterables import Iterables
from ddplint.analysis.models.python import container_methods, type_tests
from ddplint.analysis.openworld.programs import framework_hooks, refuted_checks, script_switches
from ddplint.analysis.openworld.values import lazy_state, type_hints
from ddplint.analysis.openworld.values.lazy_state import Supplied
from ddplint.analysis.semantics import comparison, context_managers, exceptions, may_raise, operators, subscripts
from ddplint.analysis.semantics.calling import calls, definitions
from ddplint.analysis.semantics.looping import drawing
from ddplint.analysis.summaries import leaving
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Exit
from ddplint.source.ancestry import nodes_of


def block(w: Interp, body: Sequence[cst.CSTNode]) -> None:
    """Run statements in order while any rank is still here."""
    for number, statement in enumerate(body):
        if not w.state.mask:
            return
        if not w.quiet and not w.record(Iterables).depth:
            presence.note(w, statement)
        if type(statement) is cst.SimpleStatementLine:
            for small in statement.body:
                if w.state.mask:
                    _run(w, small)
        elif isinstance(statement, cst.If) and leaving.keeps_apart(statement, body[number + 1 :]):
            w.tick()
            run_if(w, statement, body[number + 1 :])
            return
        else:
            _run(w, statement)


def _run(w: Interp, node: cst.CSTNode) -> None:
    w.tick()
    handler = w.handlers.get(type(node))
    if handler is not None:
        handler(w, node)


def run_expression(w: Interp, node: cst.Expr) -> None:
    value = w.semantics.evaluate(w, node.value)
    if isinstance(node.value, (cst.Call, cst.Yield)):
        context_managers.left_out(w, node.value, value)


def run_assign(w: Interp, node: cst.Assign) -> None:
    value = script_switches.setting(w, node) or w.semantics.evaluate(w, node.value)
    for target in node.targets:
        w.semantics.assign(w, target.target, value)


def run_annotated(w: Interp, node: cst.AnnAssign) -> None:
    if isinstance(node.target, cst.Name) and w.frame.function.startswith("<class"):
        definitions.note_field(w, node.target.value)
    if node.value is not None:
        value = w.semantics.evaluate(w, node.value)
        if isinstance(value, Unknown) and value.source is None:
            value = _as_annotated(w, node, value)
        w.semantics.assign(w, node.target, value)


def _as_annotated(w: Interp, node: cst.AnnAssign, value: Unknown) -> Value:
    """What is not known, as an object of the class that the annotation names."""
    target = node.target.attr if isinstance(node.target, cst.Attribute) else node.target
    name = target.value if isinstance(target, cst.Name) else ""
    made = type_hints.value(w, node.annotation.annotation, w.frame.scope, name)
    if made is None:
        type_hints.promise(w, value.symbol, node.annotation.annotation, w.frame.scope)
    return made or value


_AUGMENTED = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
    cst.PowerAssign: cst.Power,
    cst.MatrixMultiplyAssign: cst.MatrixMultiply,
}


def run_augmented(w: Interp, node: cst.AugAssign) -> None:

    old = w.semantics.evaluate(w, node.target)
    change = w.semantics.evaluate(w, node.value)
    if isinstance(old, Container) and old.kind == "list" and isinstance(node.operator, cst.AddAssign):
        container_methods.extend(w, old, [change], {}, node)
        return
    if isinstance(old, Container) and old.kind in ("dict", "set") and isinstance(node.operator, cst.BitOrAssign):
        w.models.call_method(w, f"{old.kind}.update", old, [change], {}, node)
        return
    if isinstance(old, Container):
        containers.mixed(w, old)
    name, compute = operators.BINARY[_AUGMENTED[type(node.operator)]]
    result = operators.binary(w, node, name, compute, old, change)
    operators.note_ratio(w, node, name, old, change, result)
    if isinstance(node.target, cst.Subscript):
        subscripts.store_item(w, node.target, result, again=not _is_set_by_a_handler(w, node.target))
    else:
        w.semantics.assign(w, node.target, result)


def _is_set_by_a_handler(w: Interp, item: cst.Subscript) -> bool:
    """Whether a handler around sets the very item, where it was not there."""
    handled = (step.handlers for step in w.frame.module.file.ancestors(item) if isinstance(step, cst.Try))
    targets = (one.target for many in handled for part in many for one in nodes_of(part, cst.AssignTarget))
    return bool(w.tries) and any(target.deep_equals(item) for target in targets)


def run_if(w: Interp, node: cst.If, rest: Sequence[cst.CSTNode] = ()) -> None:
    """``if``; ``rest`` is what only those come to that its body does not send away."""
    test = refuted_checks.doubted(w, w.semantics.evaluate(w, node.test), node)
    missing = lazy_state.asked(w, node.test)
    if missing is not None:
        test = lazy_state.still_missing(w, missing, test)

    def then() -> Value | None:
        before = None if missing is None else w.state.read(missing)
        block(w, node.body.body)
        if missing is not None and w.state.mask and w.state.read(missing) != before:
            lazy_state.supplied(w, missing)
            w.record(Supplied).places.add(missing)
        return None

    def other() -> Value | None:
        if type(node.orelse) is cst.If:
            _run(w, node.orelse)
        elif node.orelse is not None:
            block(w, node.orelse.body.body)
        block(w, rest)
        return None

    w.branch(test, node.test, node, GuardKind.IF, then, other)


def run_return(w: Interp, node: cst.Return) -> None:
    then, outer = w.frame.then, w.tail
    w.tail = tail = Tail(node.value, then) if then and isinstance(node.value, cst.Call) else None
    try:
        value = w.semantics.evaluate(w, node.value) if node.value is not None else NONE
    finally:
        w.tail = outer
    if w.state.mask:
        if then and not (tail is not None and tail.taken):
            if then in (framework_hooks.DRAWS, framework_hooks.TRAINS):
                drawing.begin(w, value, node)
                if then == framework_hooks.TRAINS:
                    w.emit("trained on", Effect.TRAINED_ON, node, receiver=value)
            else:
                framework_hooks.follow(w, value, node)
        w.frame.tells |= w.frame.asks and isinstance(node.value, _WORKED_OUT)
        calls.leave(w, value, node)


_WORKED_OUT = (cst.BooleanOperation, cst.Comparison, cst.UnaryOperation)


def run_break(w: Interp, node: cst.Break) -> None:
    if w.loops:
        w.loops[-1].breaks |= w.state.mask
    w.state.leave(Exit(ExitKind.BREAK, w.here(node)))


def run_continue(w: Interp, node: cst.Continue) -> None:
    if w.loops:
        w.loops[-1].continues |= w.state.mask
        left_behind.leave(w, w.loops[-1].left, w.loops[-1].begun)
    w.state.leave(Exit(ExitKind.CONTINUE, w.here(node)))


def run_raise(w: Interp, node: cst.Raise) -> None:
    made = w.semantics.evaluate(w, node.exc) if node.exc is not None else None
    if exceptions.ends_well(w, made):
        exceptions.end_process(w, node, quiet=True, at_once=False)
    elif w.state.mask:
        w.risks.translated += any(guard.kind is GuardKind.EXCEPT for guard in w.guards)
        exceptions.leave(w, node, may_raise.raised_by(w, node.exc))


def run_assert(w: Interp, node: cst.Assert) -> None:
    if iterables.counted(w, node.test):
        return
    test = refuted_checks.doubted(w, w.semantics.evaluate(w, node.test), node)

    def fail() -> Value | None:
        exceptions.leave(w, node, may_raise.ASSERTION)
        return None

    w.branch(test, node.test, node, GuardKind.IF, lambda: None, fail)


def run_delete(w: Interp, node: cst.Del) -> None:
    targets = [e.value for e in node.target.elements] if isinstance(node.target, cst.Tuple) else [node.target]
    for target in targets:
        if isinstance(target, cst.Name):
            w.semantics.assign(w, target, UNBOUND)
        elif isinstance(target, cst.Subscript):
            subscripts.delete_item(w, target)


def run_global(w: Interp, node: cst.Global) -> None:
    for item in node.names:
        w.frame.outer_names[item.name.value] = w.frame.module.scope


def run_nonlocal(w: Interp, node: cst.Nonlocal) -> None:
    for item in node.names:
        scope = w.parents.get(w.frame.scope)
        while scope is not None and w.state.read((scope, item.name.value)) is None:
            scope = w.parents.get(scope)
        if scope is not None:
            w.frame.outer_names[item.name.value] = scope


def run_match(w: Interp, node: cst.Match) -> None:
    subject = w.semantics.evaluate(w, node.subject)
    _cases(w, node, subject, list(node.cases))


def _cases(w: Interp, node: cst.Match, subject: Value, cases: list[cst.MatchCase]) -> None:
    if not cases or not w.state.mask:
        return
    case, rest = cases[0], cases[1:]
    test = _pattern(w, case.pattern, subject)

    def then() -> Value | None:
        if case.guard is None:
            block(w, case.body.body)
            return None
        guard = w.semantics.evaluate(w, case.guard)

        def matched() -> Value | None:
            block(w, case.body.body)
            return None

        return w.branch(guard, case.guard, node, GuardKind.MATCH, matched, other)

    def other() -> Value | None:
        _cases(w, node, subject, rest)
        return None

    w.branch(test, case.pattern, node, GuardKind.MATCH, then, other)


def _pattern(w: Interp, pattern: cst.MatchPattern, subject: Value) -> Value:
    if isinstance(pattern, cst.MatchAs):
        found: Value = Const(True) if pattern.pattern is None else _pattern(w, pattern.pattern, subject)
        if pattern.name is not None:
            w.semantics.assign(w, pattern.name, subject)
        return found
    if isinstance(pattern, (cst.MatchValue, cst.MatchSingleton)):
        value = w.semantics.evaluate(w, pattern.value)
        return w.lift(pattern, lambda a, b: comparison.compare(w, cst.Equal(), a, b, pattern), subject, value)
    if isinstance(pattern, cst.MatchOr):
        result: Value = Const(False)
        for option in pattern.patterns:
            step = _pattern(w, option.pattern, subject)
            result = w.lift(pattern, lambda a, b: a if w.truth(a) is True else b, result, step)
        return result
    if isinstance(pattern, cst.MatchClass) and not pattern.patterns and not pattern.kwds:
        kind = w.semantics.evaluate(w, pattern.cls)
        return w.lift(pattern, lambda value: type_tests.instance_test(w, value, kind), subject)
    return terms.derived(("match", id(pattern)), [subject])

"""``def`` and ``class``: values with their decorators applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.values import EVERYONE, Class, Const, Deferred, External, Function, Tuple, Value
from ddplint.analysis.models import dispatch
from ddplint.analysis.semantics import calls, expressions, statements

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker


def function(w: Walker, node: cst.FunctionDef) -> None:
    """A ``def`` statement; what only some ranks define is no entry point of all."""
    owner = w.frame.owner if w.frame.function.startswith("<class") else None
    value: Value = calls.function_value(w, node, node.name.value, owner)
    assert isinstance(value, Function)
    w.functions[value.key] = 1
    if w.state.mask == EVERYONE:
        w.defined.append(value)
    for decorator in reversed(node.decorators):
        value = dispatch.decorate(w, expressions.evaluate(w, decorator.decorator), value, decorator)
    w.state.write((w.frame.scope, node.name.value), value)


def class_(w: Walker, node: cst.ClassDef) -> None:
    """A ``class`` statement: its body runs in a scope of its own, which holds the class attributes."""
    bases = tuple(_base(w, base.value) for base in node.bases if base.star == "")
    w.keep_scopes()
    scope = w.new_scope(w.frame.scope)
    made = Class(node, w.frame.module, scope, node.name.value, scope, bases)
    frame = w.frame
    saved = frame.scope, frame.function, frame.owner
    frame.scope, frame.function, frame.owner = scope, f"<class {node.name.value}>", made
    try:
        statements.block(w, node.body.body)
    finally:
        frame.scope, frame.function, frame.owner = saved
    w.classes.append(made)
    value: Value = made
    for decorator in reversed(node.decorators):
        value = _decorate_class(w, expressions.evaluate(w, decorator.decorator), value, decorator)
    w.state.write((frame.scope, node.name.value), value)


def _base(w: Walker, node: cst.BaseExpression) -> Value:
    """A base class; one that is imported from the project stays unloaded."""
    if isinstance(node, cst.Name):
        raw = w.state.store.get((w.frame.module.scope, node.value))
        if isinstance(raw, Deferred):
            return raw
    return expressions.evaluate(w, node)


def _decorate_class(w: Walker, decorator: Value, value: Value, node: cst.Decorator) -> Value:
    if isinstance(decorator, External):
        return value
    result = calls.call_value(w, decorator, [value], {}, node)
    return result if isinstance(result, Class) else value


def note_field(w: Walker, name: str) -> None:
    """Remember an annotated class attribute: a dataclass takes it as an argument."""
    where = (w.frame.scope, "__fields__")
    old = w.state.read(where)
    names = old.items if isinstance(old, Tuple) else ()
    w.state.write(where, Tuple((*names, Const(name))))

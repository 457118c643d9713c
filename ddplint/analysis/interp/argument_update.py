"""What a call does to an argument itself, seen by those who handed it on: a tensor that a helper reduces in place."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Const, Unknown, Value, Varying
from ddplint.analysis.memory.frames import CallFrame
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.summaries.syntax import rebinds
from ddplint.source.tree import positional

_TARGETS = (cst.Name, cst.Attribute, cst.Subscript)


def change(w: Interp, target: cst.BaseExpression | None, old: Value, new: Value) -> None:
    """Give an argument its new content, here and where the callers keep the same object.

    Parameters: ``target``, the expression of the argument; ``old``, what it was.
    """
    if not isinstance(target, _TARGETS):
        return
    w.semantics.assign(w, target, new)
    frames = w.frames
    try:
        while isinstance(target, cst.Name) and len(w.frames) > 1:
            handed = _handed(w.frames[-1], target.value)
            w.frames = w.frames[:-1]
            if not isinstance(handed, _TARGETS) or w.semantics.evaluate(w, handed) != old:
                return
            w.semantics.assign(w, handed, new)
            target = handed
    finally:
        w.frames = frames


def of_method(w: Interp, node: cst.CSTNode, receiver: Value, new: Value, *, filled: bool) -> None:
    """A method has changed the tensor it was called on (``flag.fill_(1)``), if that is one for all who are here.

    What is ``filled`` by way of ``flag.data`` is the tensor itself.
    """
    target = node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None
    whole = target.value if isinstance(target, cst.Attribute) and target.attr.value == "data" else None
    if filled and isinstance(whole, _TARGETS):
        target, receiver = whole, w.state.narrow(w.semantics.evaluate(w, whole))
    if not isinstance(target, _TARGETS) or not isinstance(receiver, (Const, Unknown, Varying)):
        return
    if w.state.narrow(w.semantics.evaluate(w, target)) == receiver:
        change(w, target, receiver, new)


def _handed(frame: CallFrame, parameter: str) -> cst.BaseExpression | None:
    """What the call of a function passes for a parameter."""
    function = frame.callee.node if frame.callee is not None else None
    if not isinstance(function, cst.FunctionDef) or not isinstance(frame.call, cst.Call):
        return None
    if rebinds(function, parameter):
        return None
    names = positional(function.params)
    plain = [arg.value for arg in frame.call.args if arg.keyword is None and not arg.star]
    for arg in frame.call.args:
        if arg.keyword is not None and arg.keyword.value == parameter:
            return arg.value
    if any(arg.star for arg in frame.call.args) or parameter not in names:
        return None
    index = names.index(parameter) - (1 if frame.receiver is not None else 0)
    return plain[index] if 0 <= index < len(plain) else None

"""Gradients that were used before anybody asks whether there are any.

``for p in model.parameters(): all_reduce(p.grad)`` raises for a parameter without a gradient. Behind it every parameter
has one, also where each rank looks at parameters of its own.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.term import Attr
from ddplint.analysis.domain.values import TRUE, Unknown, Value, Varying
from ddplint.analysis.memory.protocol import Interp
from ddplint.source.calls import names_called

_THERE = (0, "<every parameter has a gradient>")


def note(w: Interp, given: Value | None, node: cst.CSTNode) -> None:
    """A collective is given something: the gradient of each parameter, in a loop that asks nothing before."""
    if _is_gradient(given) and w.around and _is_for_each(w, node):
        w.state.write(_THERE, TRUE)


def are_there(w: Interp, value: Value) -> bool:
    """Whether a value is a gradient, where all of them have been used."""
    return _is_gradient(value) and TRUE in alternatives(w.state.read(_THERE) or value)


def _is_gradient(value: Value | None) -> bool:
    made = value.symbol.whole if isinstance(value, (Unknown, Varying)) else None
    return isinstance(made, Attr) and made.last == "grad"


def _is_for_each(w: Interp, node: cst.CSTNode) -> bool:
    """Whether a call stands in the body of a ``for`` itself, which goes over parameters."""
    file = w.frame.module.file
    for step in file.ancestors(node):
        if isinstance(step, cst.For):
            return any(name.endswith("parameters") for name in names_called(step.iter))
        if isinstance(step, (cst.If, cst.Try, cst.While, cst.With, cst.FunctionDef, cst.BooleanOperation, cst.IfExp)):
            return False
    return False

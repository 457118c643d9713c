"""Functions that are asked whether they are true, as one does who forgot to call them: they always are."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Bound, External, Function, Value
from ddplint.analysis.memory.protocol import Interp


def note(w: Interp, value: Value, node: cst.CSTNode) -> None:
    """Write down that a function or method is asked under its own name, or the one that an import gives it.

    Any other name may hold it, or nothing.
    """
    if not isinstance(value, (Bound, External, Function)) or not isinstance(node, (cst.Name, cst.Attribute)):
        return
    function = value.function if isinstance(value, Bound) else value
    named = node.attr.value if isinstance(node, cst.Attribute) else node.value
    if not isinstance(function, (External, Function)):
        return
    own = function.name.rpartition(".")[2]
    origins = w.project.index.unit(w.frame.module.file).origins
    if own == named or (type(node) is cst.Name and origins.get(named, "").endswith(f".{own}")):
        api = w.knowledge.lookup(function.name) if isinstance(function, External) else None
        w.emit(function.name, Effect.UNCALLED, node, api=api, args=(value,))

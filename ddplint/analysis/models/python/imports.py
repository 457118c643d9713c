"""Modules that a program imports by a text."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Const, External, ModuleValue, Value
from ddplint.analysis.memory.protocol import Interp


def by_name(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``importlib.import_module("horovod.torch")``: a module of the project, or another one; None for unknown names."""
    name = args[0].value if len(args) == 1 and not kwargs and isinstance(args[0], Const) else None
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        return None
    found = w.project.find(name, w.frame.module)
    return ModuleValue(found, found.name) if found is not None else External(name)

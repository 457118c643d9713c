"""Modules that a program imports by a text."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import Const, External, ModuleValue, Value
from ddplint.analysis.memory.protocol import Interp


def by_name(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``importlib.import_module("horovod.torch")``: a module of the project, or another one; None for unknown names.

    Also ``import_module(".tasks", "trainer")``, from a package on.
    """
    if len(args) + len(kwargs) > 2 or kwargs.keys() - {"package"}:
        return None
    given, package = _text(args[0] if args else None), _text(argument(args, kwargs, "package", 1))
    name = given.lstrip(".")
    level = len(given) - len(name)
    if level:
        parts = package.split(".")
        name = ".".join([*parts[: len(parts) + 1 - level], name])
    elif len(args) > 1:
        return None
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    found = w.project.find(name, w.frame.module)
    return ModuleValue(found, found.name) if found is not None else External(name)


def _text(value: Value | None) -> str:
    """A text that is known; empty for all else."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""

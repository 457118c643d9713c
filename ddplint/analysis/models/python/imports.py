"""Modules that a program imports by a text, and what importing one runs."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.values import Const, External, ModuleValue, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.project.modules import Module


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
    if found is None:
        return External(name)
    run_registering(w, found)
    return ModuleValue(found, found.name)


def _text(value: Value | None) -> str:
    """A text that is known; empty for all else."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else ""


def run_registering(w: Interp, module: Module | None) -> None:
    """Run what an import runs for what it puts into registries; everything else waits until a name is asked for.

    As Python does, the packages around a module are run before it. These modules are few, and do not count among those
    that a walk may load.
    """
    with w.saved(followed=0):
        for one in w.project.registering_behind(module) if module is not None else ():
            parts = one.name.split(".")[:-1] if one.key not in w.loaded else []
            for count in range(1, len(parts) + 1):
                around = w.project.find(".".join(parts[:count]), one)
                if around is not None:
                    w.semantics.load(w, around)
            w.semantics.load(w, one)

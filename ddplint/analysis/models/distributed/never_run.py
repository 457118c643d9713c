"""Modules that nobody can call: they only hold parts, and have no ``forward``. A wrapper around one reduces nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ddplint.analysis.domain.values import Class, External, Instance, Object, Value
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp

_HOLDING = "modules_without_forward"
_MODULES = "module_bases"


def any_of(w: Interp, given: Iterable[Value]) -> bool:
    """Whether one of the values that are wrapped is such a module."""
    return any(_cannot_run(w, w.state.narrow(value)) for value in given)


def _cannot_run(w: Interp, value: Value) -> bool:
    holding = w.knowledge.quiet(_HOLDING)
    if isinstance(value, Object):
        return value.name in holding
    if not isinstance(value, Instance):
        return False
    bases = [classes.base_of(w, base) for cls in classes.lineage(w, value.cls) for base in cls.bases]
    outside = {base.name for base in bases if isinstance(base, External)}
    if (
        not outside
        or not outside <= {*holding, *w.knowledge.quiet(_MODULES)}
        or not all(isinstance(one, (Class, External)) for one in bases)
    ):
        return False
    return not any(_has(w, value, name) for name in ("forward", "__call__"))


def _has(w: Interp, value: Instance, name: str) -> bool:
    """Whether the class says how its objects are called, or something was put into this one."""
    return w.state.read((value.id, name)) is not None or classes.find_in_class(w, value.cls, name)[0] is not None

"""What importing a module, and inheriting from a class, puts into registries."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Bound, Class, Function
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.python.imports import run_registering
from ddplint.project.index.mattering import TOLD
from ddplint.project.modules import Module


def member_imported(w: Interp, module: Module | None, name: str) -> None:
    """The same for ``from module import name``, which may be a module of its own."""
    run_registering(w, module)
    if module is not None and module.is_package and w.project.registering_behind(w.frame.module):
        run_registering(w, w.project.find(f"{module.name}.{name}", module))


def inherited(w: Interp, made: Class, node: cst.ClassDef) -> None:
    """Tell the classes above that one inherits from them, where they ask for that: they may register it."""
    index = w.project.index
    known = index.unit(w.frame.module.file).classes.get(node.name.value, ()) if node.bases else ()
    if not any(above.method(TOLD) for one in known for above in index.lineage(one)[0][1:]):
        return
    for base in made.bases:
        above = classes.base_of(w, base)
        told = classes.find_in_class(w, above, TOLD)[0] if isinstance(above, Class) else None
        if isinstance(told, Function):
            given = {one.keyword.value: w.semantics.evaluate(w, one.value) for one in node.keywords if one.keyword}
            w.semantics.call_value(w, Bound(told, made), [], given, node)
            return

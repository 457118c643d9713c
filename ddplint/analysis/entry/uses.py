"""Which entries may lead to one of the names that another file asks for."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.values import Class, Function
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.project.modules import Module
from ddplint.source.file import SourceFile


class Uses:
    """What is asked of a file that is followed only so far as it leads to certain names."""

    def __init__(self, w: Interp, file: SourceFile, module: Module, names: frozenset[str]) -> None:
        self._w = w
        self._file = file
        self._module = module
        self._names = names

    def is_of_use(self, function: Function) -> bool:
        """Whether the walk of a function may lead to where it should."""
        inherited = self._inherited(function.owner) if function.owner is not None else frozenset()
        index, owner = self._w.project.index, "" if function.owner is None else function.owner.name
        entries = index.named(self._file, owner, function.name)
        if not all(self._names.isdisjoint(index.mentions(one)) for one in entries):
            return True
        return not all(inherited.isdisjoint(index.methods_asked(one)) for one in entries)

    def _inherited(self, cls: Class) -> frozenset[str]:
        """The methods that a class has from classes of other files which the walk should come to."""
        names: set[str] = set()
        for above in classes.lineage(self._w, cls):
            if above is not cls and above.module is not self._module and above.name in self._names:
                names |= {part.name.value for part in above.node.body.body if isinstance(part, cst.FunctionDef)}
        return frozenset(name for name in names if not name.startswith("__"))

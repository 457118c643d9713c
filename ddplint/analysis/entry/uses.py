"""Which entries may lead to one of the names that another file asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.values import Class, Function
from ddplint.analysis.memory import classes
from ddplint.source.outline import function_lines

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp
    from ddplint.project.modules import Module
    from ddplint.source.file import SourceFile

_NAME = re.compile(r"[A-Za-z_]\w*")
_ASKED = re.compile(r"\.([A-Za-z_]\w*)\s*\(")


class Uses:
    """What is asked of a file that is followed only so far as it leads to certain names."""

    def __init__(self, w: Interp, file: SourceFile, module: Module, names: frozenset[str]) -> None:
        self._w = w
        self._file = file
        self._module = module
        self._names = names

    def is_of_use(self, function: Function) -> bool:
        """Whether the walk of a function may lead to where it should."""
        node, owner = function.node, "" if function.owner is None else function.owner.name
        inherited = self._inherited(function.owner) if function.owner is not None else frozenset()
        known = self._outline.get((owner, node.name.value), []) if isinstance(node, cst.FunctionDef) else []
        answers = {self._mentions_use(inherited, *lines) for lines in known}
        if len(answers) != 1:
            place = self._file.range_of(node)
            return self._mentions_use(inherited, place.start_line, place.end_line)
        return answers.pop()

    def _inherited(self, cls: Class) -> frozenset[str]:
        """The methods that a class has from classes of other files which the walk should come to."""
        names: set[str] = set()
        for above in classes.lineage(self._w, cls):
            if above is not cls and above.module is not self._module and above.name in self._names:
                names |= {part.name.value for part in above.node.body.body if isinstance(part, cst.FunctionDef)}
        return frozenset(name for name in names if not name.startswith("__"))

    def _mentions_use(self, inherited: frozenset[str], first: int, last: int) -> bool:
        names = self._names
        if inherited and any(
            name in inherited for line in self._file.lines[first - 1 : last] for name in _ASKED.findall(line)
        ):
            return True
        return any(name in names for line in self._file.lines[first - 1 : last] for name in _NAME.findall(line))

    @cached_property
    def _outline(self) -> Mapping[tuple[str, str], list[tuple[int, int]]]:
        return function_lines(self._file.text)

"""Methods that the project defines itself: an unknown object may be of such a class, whatever its method is called.

``model.push_to_hub()`` of a class of the project may leave the upload to rank 0 inside. Where no walk goes there, the
source of the modules that are imported says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.project.import_scan import full_name, imported

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.project.modules import Module

__all__ = ["is_own"]

_ASKS_WHO = re.compile(
    r"rank|is_(?:main|master|primary|global_zero)|main_process|master_only|should_save|process_index"
)
_ON_SELF = re.compile(r"\bself\.(\w+)\(")
_DEPTH = 2
_MOST_MODULES = 60


def is_own(w: Walker, name: str) -> bool:
    """Whether a class in reach of the module that is walked has such a method, and it asks which process it is in."""
    start = w.frame.module
    known = w.own_methods.get((start.key, name))
    if known is None:
        inside = w.frame.callee is not None and w.frame.callee.name == name  # hands on to another class's
        texts = [one.text for one in _in_reach(w, start) if not (inside and one is start)]
        bodies = list(_bodies(texts, name))
        known = w.own_methods[start.key, name] = any(map(_ASKS_WHO.search, bodies))
    return known


def _bodies(texts: list[str], name: str) -> Iterator[str]:
    """The source of the methods of that name, and of the methods that they call on themselves."""
    inner: set[str] = set()
    for body in _methods(texts, name):
        yield body
        inner.update(_ON_SELF.findall(body))
    for called in sorted(inner - {name}):
        yield from _methods(texts, called)


def _methods(texts: list[str], name: str) -> Iterator[str]:
    head = re.compile(rf"^([ \t]+)def {re.escape(name)}\(.*\n(?:(?:\1[ \t)]+.*|[ \t]*)\n)*", re.MULTILINE)
    for text in texts:
        if f"def {name}(" in text:
            yield from (found.group() for found in head.finditer(text))


def _in_reach(w: Walker, start: Module) -> Iterator[Module]:
    """A module and those of the project that it imports, themselves or through others."""
    seen, ring = {start.key}, [start]
    yield start
    for _ in range(_DEPTH):
        following = []
        for module in ring:
            for found in _imports(w, module):
                if found.key not in seen and len(seen) < _MOST_MODULES:
                    seen.add(found.key)
                    following.append(found)
                    yield found
        ring = following


def _imports(w: Walker, module: Module) -> Iterator[Module]:
    for _, origin in imported(module.text):
        full = full_name(w.project, module, origin)
        for name in (full, full.rpartition(".")[0]):
            found = w.project.find(name, module) if name else None
            if found is not None:
                yield found
                break

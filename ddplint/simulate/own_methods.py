"""Methods that the project defines itself: an unknown object may be of such a class, whatever its method is called.

``model.push_to_hub()`` of a class of the project may leave the upload to rank 0 inside. Where no walk goes there, the
source of the modules that are imported says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ddplint.simulate.buffers import imported

if TYPE_CHECKING:
    from ddplint.project import Module
    from ddplint.simulate.walker import Walker

__all__ = ["is_own"]

_DEPTH = 2
_MOST_MODULES = 60


def is_own(w: Walker, name: str) -> bool:
    """Whether a class in reach of the module that is walked has such a method, in a file that speaks of ranks."""
    start = w.frame.module
    known = w.own_methods.get((start.key, name))
    if known is None:
        method = re.compile(rf"^[ \t]+def {re.escape(name)}\(", re.MULTILINE)
        reach = _in_reach(w, start)
        known = any(method.search(one.text) and w.words.search(one.text.encode()) for one in reach)
        w.own_methods[start.key, name] = known
    return known


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
        path = origin.lstrip(".")
        level = len(origin) - len(path)
        full = w.project.absolute(path, level, module) if level else path
        for name in (full, full.rpartition(".")[0]):
            found = w.project.find(name, module) if name else None
            if found is not None:
                yield found
                break

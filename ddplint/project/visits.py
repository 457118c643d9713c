"""Which ranks came by a function or a class of the project: ran it, named it, or made an object of it.

What no walk ran is still entered, as a beginning of its own; on which ranks, those know that named it or made the
object. A logger that only rank 0 makes has no method that another rank runs. Where nobody is known to make the object
(a configuration names its class), those know that call a method of that name on something unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.source.file import SourceFile

    Definition = cst.FunctionDef | cst.Lambda | cst.ClassDef

__all__ = ["ASKED", "MADE", "NAMED", "RAN", "UNMENTIONED", "Visited", "Visits", "merged", "name_of"]

RAN, NAMED, MADE, ASKED = "ran", "named", "made", "asked"
UNMENTIONED = "unmentioned"
"""What nothing in the project names: no rank gets there, as far as the project goes."""

Visited = tuple[str, int]
"""What was done to what, as ``"ran 12"`` or ``"made Logger"``, and the ranks that did it, as bits."""


class Visits:
    """Visits of one or several walks: the ranks, as bits, by what was done to which definition."""

    def __init__(self) -> None:
        self._ranks: dict[tuple[str, int], int] = {}
        self._nodes: dict[int, tuple[Definition, SourceFile]] = {}
        self._asked: dict[str, int] = {}

    def note(self, what: str, node: Definition, file: SourceFile, ranks: int) -> None:
        """Ranks came by a definition of a file."""
        key = what, id(node)
        self._ranks[key] = self._ranks.get(key, 0) | ranks
        self._nodes[id(node)] = node, file

    def ranks(self, what: str, node: Definition) -> int:
        """The ranks that did something to a definition."""
        return self._ranks.get((what, id(node)), 0)

    def ask(self, method: str, ranks: int) -> None:
        """Ranks called a method of something unknown."""
        self._asked[method] = self._asked.get(method, 0) | ranks

    def asked(self) -> Mapping[str, int]:
        """The ranks that called a method of something unknown, by its name."""
        return self._asked

    def add(self, others: Visits) -> None:
        """Take over the visits of another walk."""
        for method, ranks in others._asked.items():
            self.ask(method, ranks)
        for (what, key), ranks in others._ranks.items():
            self.note(what, *others._nodes[key], ranks)

    def clear(self) -> None:
        """Forget all."""
        self._ranks.clear()
        self._nodes.clear()
        self._asked.clear()

    def records(self) -> Iterator[tuple[SourceFile, str, int]]:
        """The visits, by file and by the definition's number or name, with the ranks."""
        for (what, key), ranks in self._ranks.items():
            node, file = self._nodes[key]
            name = name_of(node, file)
            if name is not None:
                yield file, f"{what} {name}", ranks


def name_of(node: Definition, file: SourceFile) -> str | None:
    """What a definition is called in records: the number of a function, the name of a class; ``None``: a stranger."""
    number = file.numbers.get(id(node))
    if number is not None:
        return str(number)
    name = getattr(node, "name", None)
    return None if name is None else str(name.value)


def merged(visited: Iterable[Visited]) -> Mapping[str, int]:
    """The ranks of several records, by what was done."""
    found: dict[str, int] = {}
    for what, ranks in visited:
        found[what] = found.get(what, 0) | ranks
    return found

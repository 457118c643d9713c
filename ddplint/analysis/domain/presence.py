"""What speaks against it that all ranks come by a statement, as far as walks have seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.unseen_results import hangs_on_results
from ddplint.project.presence import Against, key_of, numbers

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.origins import Guard
    from ddplint.analysis.domain.path_condition import PathCondition
    from ddplint.analysis.domain.symbols import Symbol
    from ddplint.project.presence import Key
    from ddplint.source.file import SourceFile


@dataclass(slots=True)
class Seen:
    against: int
    file: SourceFile
    holder: cst.CSTNode


@dataclass(slots=True)
class Presence:
    """What speaks against the statements that a file's walks came by.

    ``strange``: the entry is a function that nobody is known to call. ``without``: the statements that this entry came
    by before there was a group. ``over``: the guards behind which a rank that leaves ends the program, by their ``id``.
    ``decisions``: whether a condition hangs on results of code out of sight, for those that were asked about; ``path``
    and ``decided``: the same for the path that was asked about last.
    """

    seen: dict[int, Seen] = field(default_factory=dict)
    nodes: list[cst.CSTNode] = field(default_factory=list)
    without: set[int] = field(default_factory=set)
    over: dict[int, Guard] = field(default_factory=dict)
    strange: bool = False
    cut: bool = False
    decisions: dict[Symbol, bool] = field(default_factory=dict)
    path: PathCondition | None = None
    decided: bool = False

    def is_decided(self, path: PathCondition) -> bool:
        """Whether results of code out of sight have led to where ``path`` is assumed."""
        if path is not self.path:
            self.path, self.decided = path, any(map(self._is_of_results, path.known))
        return self.decided

    def _is_of_results(self, what: Symbol) -> bool:
        known = self.decisions.get(what)
        if known is None:
            known = self.decisions[what] = hangs_on_results(what)
        return known

    def against(self, statement: cst.CSTNode) -> int:
        """What speaks against a statement in the contexts of these walks."""
        found = self.seen.get(id(statement))
        unseen = int(Against.UNSEEN)
        return unseen if found is None else found.against | (unseen if self.cut else 0)

    def facts(self) -> dict[Key, dict[int, int]]:
        """The same by functions and numbers, for other files' walks to be added."""
        found: dict[Key, dict[int, int]] = {}
        known: dict[int, tuple[Key | None, dict[int, int]]] = {}
        for statement, seen in self.seen.items():
            if not seen.against & ~int(Against.GROUPLESS):
                continue
            if id(seen.holder) not in known:
                known[id(seen.holder)] = key_of(seen.file, seen.holder), numbers(seen.holder)
            key, places = known[id(seen.holder)]
            if key is not None and statement in places:
                found.setdefault(key, {})[places[statement]] = seen.against
        return found

"""What speaks against it that all ranks reach a statement, as far as walks have seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.term import Symbol
from ddplint.project.presence import Against, Key, key_of, numbers
from ddplint.source.file import SourceFile


@dataclass(slots=True)
class Seen:
    against: int
    file: SourceFile
    holder: cst.CSTNode


@dataclass(frozen=True)
class FirstOnly:
    """A call in ``file`` that held on rank 0 and on no other rank, and the function that it calls."""

    file: SourceFile
    helper_file: SourceFile
    helper: cst.FunctionDef


@dataclass(slots=True)
class Presence:
    """What speaks against the statements that a file's walks came by.

    ``strange``: the entry is a function that nobody is known to call. ``without``: the statements that this entry came
    by before there was a group. ``over``: the guards behind which a rank that leaves ends the program, by their ``id``.
    ``decisions``: whether a condition hangs on results of code out of sight, for those that were asked about; ``path``
    and ``decided``: the same for the path that was asked about last. ``first_only``: calls without arguments that
    held on rank 0 and on no other rank. ``handlers``: how many handlers are being
    walked to which all ranks come, or none: one that is slow may find what the others have repaired meanwhile.
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
    first_only: dict[cst.Call, FirstOnly] = field(default_factory=dict)
    handlers: int = 0

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

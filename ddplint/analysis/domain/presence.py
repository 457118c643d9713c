"""What speaks against it that all ranks come by a statement, as far as walks have seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.term import Agreed, Is, Symbol
from ddplint.analysis.domain.values import Instance, Object, Unknown, Varying, Wrapped
from ddplint.project.presence import Against, key_of, numbers

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.origins import Guard
    from ddplint.analysis.domain.path_condition import PathCondition
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
    and ``decided``: the same for the path that was asked about last. ``first_only``: calls without arguments that were
    true on rank 0 and on no other rank, with their files.
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
    first_only: dict[cst.Call, SourceFile] = field(default_factory=dict)

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

    def tests_in(self, file: SourceFile) -> list[cst.BaseExpression]:
        """The calls of a file that rank 0 alone was seen to pass, as another file's ``is_main_process()``."""
        return [call for call, there in self.first_only.items() if there is file]

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


_CALLS = frozenset({"call", "method", "computed", "left open"})
"""The heads of the names of what calls give that were not followed."""

_OF_TORCH = ("torch.nn.", "torch.utils.data.")
"""Objects that are models, or hold data."""


def hangs_on_results(what: Symbol, depth: int = limits.ASKED_DEPTH) -> bool:
    """Whether a condition asks for what code out of sight has worked out of a model or its data.

    The walk takes such a result to be the same on all ranks, since nothing says otherwise. It need not be: each rank
    may have evaluated its own share. Nothing is reported for that, but nothing may be built on it either. Whether there
    is a result at all is no such question.
    What ranks have agreed on is the same on all of them, whatever it was made of.
    """
    made = what.whole
    if isinstance(made, (Agreed, Is)) or not depth:
        return False
    if made.head in _CALLS and any(_is_data(part, depth - 1) for part in made.parts):
        return True
    return any(hangs_on_results(part, depth - 1) for part in map(_symbol_of, made.parts) if part is not None)


def _symbol_of(part: object) -> Symbol | None:
    part = part.symbol if isinstance(part, Unknown) else part
    return part if isinstance(part, Symbol) else None


def _is_data(part: object, depth: int) -> bool:
    """Whether a part of a name is a model, or data of a rank, or made of them."""
    if isinstance(part, Object):
        return part.name.startswith(_OF_TORCH)
    if isinstance(part, (Wrapped, Varying, Instance)):
        return True
    inner = _symbol_of(part)
    if inner is None or not depth or isinstance(inner.whole, Agreed):
        return False
    return any(_is_data(one, depth - 1) for one in inner.whole.parts)

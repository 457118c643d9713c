"""Must all ranks reach a place, with the process group up? What fixes that insert a collective stand on.

The walks say for each statement what speaks against it in any context that reached it; nothing known is a no, too.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from ddplint.source.file import SourceFile

Key = tuple[str, int]
"""A function: the real path of its file, and its number among the functions of that file (-1: the module's body)."""
Presences = Mapping[Key, Mapping[int, int]]
"""What speaks against the statements of functions, by their numbers among the statements of the function."""


class Against(enum.IntFlag):
    """What speaks against it that all ranks get there with the group up.

    ``APART``: in some context only some ranks come; ``LACKING``: not even rank 0 among them, or ranks of which each
    decides for itself; ``STRANGE``: nobody in the project calls, so that users may do so on one rank; ``GROUPLESS``:
    no group is made in sight; ``EARLY``: the group is made further on; ``UNSEEN``: no walk came by,
    or not all was followed; ``DECIDED``: what code out of sight has worked out of a model or its data decides, and
    each rank may have got its own;
    ``NAMED``: in some context each rank writes a file of its own there, which its name tells apart; ``DRAWN``: a loader
    runs it for each element, in its workers or when the rank next asks: nobody meets there.
    """

    APART = 1
    LACKING = 2
    STRANGE = 4
    GROUPLESS = 8
    EARLY = 16
    UNSEEN = 32
    DECIDED = 64
    NAMED = 128
    DRAWN = 256


COLLECTIVE = int(
    Against.APART | Against.LACKING | Against.STRANGE | Against.EARLY | Against.UNSEEN | Against.DECIDED | Against.DRAWN
)
"""What forbids a new collective, if it asks itself whether there is a group."""
MOVE = int(Against.APART | Against.LACKING | Against.UNSEEN | Against.DRAWN)
"""What forbids to take a collective that some ranks enter already to the place that all reach."""
GUARD = int(Against.LACKING | Against.EARLY | Against.UNSEEN | Against.NAMED | Against.DRAWN)
"""What forbids to leave to rank 0 what all ranks do."""


@dataclass(frozen=True)
class Demand:
    """A statement that must be free of what is in ``against``, in every context of every program."""

    path: str
    function: int
    statement: int
    against: int

    def broken(self, presences: Iterable[Presences]) -> int:
        """What speaks against it."""
        return self.against & _at((self.path, self.function), self.statement, presences)


def _at(function: Key, statement: int, presences: Iterable[Presences]) -> int:
    found = 0
    for known in presences:
        found |= known.get(function, {}).get(statement, 0)
    return found


def demand(file: SourceFile, statement: cst.CSTNode, against: int) -> Demand | None:
    """The demand on a statement; ``None`` where it cannot be named."""
    holder: cst.CSTNode = file.module
    for above in file.ancestors(statement):
        if isinstance(above, cst.FunctionDef):
            holder = above
            break
    function, number = key_of(file, holder), numbers(holder).get(id(statement))
    return None if function is None or number is None else Demand(*function, number, against)


def key_of(file: SourceFile, holder: cst.CSTNode) -> Key | None:
    """The function (or module) as it is called in other walks."""
    if isinstance(holder, cst.Module):
        return str(file.real_path), -1
    number = file.numbers.get(id(holder))
    return None if number is None else (str(file.real_path), number)


def numbers(holder: cst.CSTNode) -> dict[int, int]:
    """The numbers of the statements of a function or module, by the ``id`` of their nodes."""
    return {id(statement): number for number, statement in enumerate(_statements(holder))}


def _statements(holder: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements below a node, outer ones first; inner functions are not entered."""
    body = getattr(holder, "body", None)
    for line in getattr(body, "body", body) or () if not isinstance(body, cst.BaseExpression) else ():
        if isinstance(line, cst.BaseStatement):
            yield line
            if not isinstance(line, cst.FunctionDef):
                yield from _statements(line)
    for name in ("orelse", "finalbody"):
        part = getattr(holder, name, None)
        if isinstance(part, cst.If):
            yield part
        if part is not None:
            yield from _statements(part)
    for part in (*getattr(holder, "handlers", ()), *getattr(holder, "cases", ())):
        yield from _statements(part)


_REASONS = (
    (Against.EARLY, "the process group is made only after this"),
    (Against.DRAWN, "a loader runs this for each rank by itself, perhaps in its workers, where no ranks can meet"),
    (Against.LACKING, "in some contexts not every rank reaches this, perhaps not even rank 0"),
    (Against.NAMED, "some callers name the file by the rank, and each of those files is wanted"),
    (Against.APART, "in some contexts only some ranks reach this"),
    (Against.DECIDED, "a result that each rank may have worked out for itself decides whether this is reached"),
    (Against.STRANGE, "nothing in the project calls what leads here, so it may be called on one rank"),
    (Against.UNSEEN, "it is not known which ranks reach this"),
    (Against.GROUPLESS, "it is not known whether there is a process group"),
)


def reason(against: int) -> str:
    """Why not, in words."""
    return next((text for flag, text in _REASONS if against & flag), "")

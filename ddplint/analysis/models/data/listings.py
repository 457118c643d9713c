"""How many entries a folder has, as each rank counts them for itself: a number for the next name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.term import Call, Len, Operation, Symbol, Text
from ddplint.analysis.domain.values import (
    Const,
    Container,
    Either,
    Object,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record

_DEPTH = 8
_PARTS = 24
COUNTED = "entries counted"
"""What the origin of such a number says."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of entries: of which folder (its first known name), and where they were listed."""

    folder: object
    trail: Trail


@dataclass(slots=True)
class Counts(Record):
    """The numbers of entries that were counted. As numbers all ranks are taken to have them alike.

    ``listed``: the folder that each place in the program lists; ``calls``: what was listed, by the term of the call.
    """

    life = Life.FILE
    found: dict[Symbol, Count] = field(default_factory=dict)
    listed: dict[int, object] = field(default_factory=dict)
    calls: dict[Symbol, Count] = field(default_factory=dict)


def note(w: Interp, listed: Varying) -> None:
    """A call has looked at files: which folder it was asked of."""
    folder = _folder(listed.symbol)
    if folder is not None and listed.trail is not None:
        w.record(Counts).listed[id(listed.trail.links()[0].node)] = folder
        w.record(Counts).calls[listed.symbol] = Count(folder, listed.trail)


def counted(w: Interp, listed: Varying | None, number: Unknown) -> Unknown:
    """Note a number of entries; itself, for the caller's convenience."""
    count = _of_listing(w, listed) if listed is not None else None
    if count is not None:
        w.record(Counts).found[number.symbol] = count
    return number


def _of_listing(w: Interp, listed: Varying) -> Count | None:
    if listed.reason is not Reason.FILESYSTEM or listed.trail is None:
        return None
    folder = w.record(Counts).listed.get(id(listed.trail.links()[0].node))
    return Count(folder, listed.trail) if folder is not None else None


def named(w: Interp, path: Value | None) -> Value | None:
    """A path as each rank sees it: one in a folder whose entries number it is its own, for another may come first."""
    if not w.record(Counts).listed:
        return path
    if isinstance(path, Object) and path.name.startswith("pathlib.") and len(path.args) == 1:
        inner = named(w, path.args[0])
        return path if inner is path.args[0] else inner
    if isinstance(path, PerRank):
        each = tuple(named(w, one) or one for one in path.values)
        return path if all(map(operator.is_, each, path.values)) else PerRank(each)
    if isinstance(path, Either) and path.local is None:
        yes, no = named(w, path.yes) or path.yes, named(w, path.no) or path.no
        return path if yes is path.yes and no is path.no else either(path.symbol, yes, no)
    if not isinstance(path, (Unknown, Varying)) or not isinstance(path.symbol, Text):
        return path
    count = _numbered_by(w, path)
    if count is None or count.folder != _name(path.symbol):
        return path
    return Varying(Reason.FILESYSTEM, path.symbol, Trail(replace(count.trail.links()[0], text=COUNTED)))


def _numbered_by(w: Interp, path: Unknown | Varying) -> Count | None:
    """What was listed for a number in a path: a count of entries, or one more than the largest, so a name yet free.

    What is itself an entry, or a number of one, is there already: it is no new name.
    """
    if isinstance(path, Varying) and path.reason is not Reason.FILESYSTEM:
        return None
    numbers = [one for one in path.symbol.within(_PARTS) if _is_number(w, one)]
    found = (_counted_in(w, one, _DEPTH) for one in numbers)
    count = next((one for one in found if one is not None), None)
    if count is None and numbers and isinstance(path, Varying):
        return _of_listing(w, path)
    return count


def _is_number(w: Interp, what: Symbol) -> bool:
    """A count, or what comes next: something with a number added to it."""
    made = what.whole
    if isinstance(made, Operation) and made.sign == "+":
        return any(isinstance(part, Const) and isinstance(part.value, int) for part in made.parts)
    return isinstance(made, Len) or what in w.record(Counts).found


def _folder(listed: Symbol) -> object | None:
    """What the folder is called that was listed, or begins with."""
    made = listed.whole
    if not isinstance(made, Call) or not made.args:
        return None
    return _name(made.args[0])


def _name(part: object) -> object | None:
    """The first name of a text that is known, or what stands for an unknown one."""
    while isinstance(part, Object) and part.name.startswith("pathlib.") and len(part.args) == 1:
        part = part.args[0]
    while isinstance(part, Text):
        part = next(iter(part.parts), None)
    if isinstance(part, Const):
        return part.value.partition("/")[0] or None if isinstance(part.value, str) else None
    return part


def _counted_in(w: Interp, what: object, depth: int) -> Count | None:
    """The listing that something was worked out from."""
    if not depth:
        return None
    if isinstance(what, Varying) and (count := _of_listing(w, what)) is not None:
        return count
    if isinstance(what, Container):
        return _counted_in(w, w.state.read((what.id, "")), depth - 1)
    if isinstance(what, (Unknown, Varying)):
        what = what.symbol
    if isinstance(what, Symbol):
        counts = w.record(Counts)
        known = counts.found.get(what) or counts.calls.get(what)
        if known is not None:
            return known
    inner = _inside(what)
    return next((count for part in inner if (count := _counted_in(w, part, depth - 1)) is not None), None)


def _inside(what: object) -> Sequence[object]:
    if isinstance(what, Symbol):
        return what.whole.parts
    if isinstance(what, Either):
        return what.yes, what.no
    return what.items if isinstance(what, Tuple) else ()

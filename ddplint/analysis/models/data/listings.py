"""How many entries a folder has, as each rank counts them for itself: a number for the next name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ddplint.analysis.domain.origins import Origin, Reason
from ddplint.analysis.domain.term import Call, Operation, Symbol, Text
from ddplint.analysis.domain.values import Const, Object, Trail, Unknown, Value, Varying
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record

_DEPTH = 8
_PARTS = 24
_READ = frozenset({"int"})
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

    ``listed``: the folder that each place in the program lists.
    """

    life = Life.FILE
    found: dict[Symbol, Count] = field(default_factory=dict)
    listed: dict[int, object] = field(default_factory=dict)


def note(w: Interp, listed: Varying) -> None:
    """A call has looked at files: which folder it was asked of."""
    folder = _folder(listed.symbol)
    if folder is not None and listed.trail is not None:
        w.record(Counts).listed[id(listed.trail.links()[0].node)] = folder


def counted(w: Interp, listed: Varying | None, number: Unknown) -> Unknown:
    """Note a number of entries; itself, for the caller's convenience."""
    if listed is not None and listed.reason is Reason.FILESYSTEM and listed.trail is not None:
        first = listed.trail.links()[0]
        folder = w.record(Counts).listed.get(id(first.node))
        if folder is not None:
            w.record(Counts).found[number.symbol] = Count(folder, Trail(replace(first, text=COUNTED)))
    return number


def named(w: Interp, path: Value | None) -> Value | None:
    """A path as each rank sees it: one in a folder whose entries number it is its own, for another may come first."""
    found = w.record(Counts).found
    if isinstance(path, Object) and path.name.startswith("pathlib.") and len(path.args) == 1:
        inner = named(w, path.args[0])
        return path if inner is path.args[0] else inner
    if isinstance(path, Varying) and path.reason is Reason.FILESYSTEM and path.trail is not None:
        return _next(w, path, path.trail.links()[0])
    if not found or not isinstance(path, Unknown) or not isinstance(path.symbol, Text):
        return path
    count = _counted_in(found, path.symbol, _DEPTH)
    if count is None or count.folder != _name(path.symbol):
        return path
    return Varying(Reason.FILESYSTEM, path.symbol, count.trail)


def _next(w: Interp, path: Varying, first: Origin) -> Varying:
    """A path in the very folder that was listed: named by a number that is added to, so by none that is there yet."""
    folder = w.record(Counts).listed.get(id(first.node))
    if folder is None or not isinstance(path.symbol, Text) or folder != _name(path.symbol):
        return path
    if not any(map(_goes_on, path.symbol.within(_PARTS))):
        return path
    return Varying(path.reason, path.symbol, Trail(replace(first, text=COUNTED)))


def _goes_on(what: Symbol) -> bool:
    """``int(name) + 1``: a number that was read from a name, and something added to it."""
    made = what.whole
    if not isinstance(made, Operation) or made.sign != "+":
        return False
    return any(isinstance(one.whole, Call) and one.whole.name in _READ for one in made.within(_PARTS))


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


def _counted_in(found: Mapping[Symbol, Count], what: object, depth: int) -> Count | None:
    if not isinstance(what, Symbol) or not depth:
        return None
    if what in found:
        return found[what]
    inner = (_counted_in(found, part, depth - 1) for part in what.whole.symbols)
    return next((count for count in inner if count is not None), None)

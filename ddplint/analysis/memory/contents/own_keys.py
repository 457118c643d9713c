"""Keys that only some ranks have: what a loop over an uneven container fills is as uneven."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, fresh
from ddplint.analysis.domain.term import Call, Item, Method, Text
from ddplint.analysis.domain.values import Const, Container, Tuple, Unknown, Value, Varying
from ddplint.analysis.memory.records import Life, Record

if TYPE_CHECKING:
    from ddplint.analysis.memory.protocol import Interp


@dataclass(slots=True)
class OwnKeys(Record):
    """What stands for an element of something of which ranks have unequally many: why they have."""

    life = Life.FILE
    causes: dict[Symbol, Varying] = field(default_factory=dict)


def note(w: Interp, element: Value, cause: Varying | None) -> None:
    """A loop that ranks go through unequally often yields this; of a pair it is the first that tells two apart."""
    if cause is None:
        return
    if isinstance(element, Tuple) and element.items:
        note(w, element.items[0], cause)
    elif isinstance(element, (Unknown, Varying)):
        w.record(OwnKeys).causes[element.symbol] = cause


def cause_of(w: Interp, key: Value) -> Varying | None:
    """Why only some ranks have a key, if it is such an element, or a text of one."""
    return _cause(w, key.symbol, 4) if isinstance(key, (Unknown, Varying)) else None


_TEXTS = (Call, Method)


def _cause(w: Interp, what: Symbol, depth: int) -> Varying | None:
    found = w.record(OwnKeys).causes.get(what)
    first = isinstance(what, Item) and what.last == Const(0)
    if found is not None or not depth or not (first or isinstance(what, _TEXTS) or isinstance(what.whole, Text)):
        return found
    return next((cause for part in what.symbols if (cause := _cause(w, part, depth - 1)) is not None), None)


def overwrites(w: Interp, base: Container, content: Tuple, key: Value) -> bool:
    """Whether ``base[key] = …`` sets one of the known keys, each rank another; their values are its own then."""
    known = [one for one in content.items if isinstance(one, Const)]
    if not isinstance(key, Varying) or not known:
        return False
    for one in known:
        w.state.write((base.id, f"[{one.value!r}]"), Varying(Reason.DATA, fresh("content"), key.trail))
    return True

"""What holds on a path of the program: conditions, and what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable


_Link = tuple[Any, Symbol]
"""The assumptions before the latest one (a link, or ``None``), and the latest one."""


class Assumptions:
    """What a path takes for granted about uniform unknowns, with the simple consequences of not, and, or."""

    __slots__ = ("_latest", "known")

    def __init__(self, known: dict[Symbol, bool] | None = None, latest: _Link | None = None) -> None:
        self.known = known or {}
        self._latest = latest

    def get(self, what: Symbol) -> bool | None:
        """True, False, or None where nothing follows."""
        found = self.known.get(what)
        if found is not None or not self.known:
            return found
        head = what.key[0]
        if head == "not":
            inner = self._truth(what.key[1])
            return None if inner is None else not inner
        if head in ("and", "or"):
            first, second = self._truth(what.key[1]), self._truth(what.key[2])
            decisive = head == "or"
            if first is decisive or second is decisive:
                return decisive
            return None if first is None or second is None else not decisive
        return None

    def _truth(self, part: object) -> bool | None:
        """Whether a part of a condition is true; the parts of ``a < b == b`` may be known."""
        if isinstance(part, Symbol):
            return self.get(part)
        return bool(part.value) if isinstance(part, Const) else None

    def add(self, what: Symbol, value: bool) -> Assumptions:
        """A new set with one more assumption and what follows from it."""
        known = dict(self.known)
        return Assumptions(known, _assume(known, what, value, self._latest))

    def add_all(self, more: Iterable[tuple[Symbol, bool]]) -> Assumptions:
        """A new set with more assumptions, one after the other."""
        known, latest = dict(self.known), self._latest
        for what, value in more:
            latest = _assume(known, what, value, latest)
        return Assumptions(known, latest)

    def since(self, earlier: Assumptions) -> dict[Symbol, bool]:
        """What is assumed here and was not ``earlier``, in the order of the first time."""
        link, stop, before = self._latest, earlier._latest, earlier.known
        if link is stop:
            return {}
        added: list[Symbol] = []
        while link is not stop:
            if link is None:  # it does not follow from the earlier one
                return {what: value for what, value in self.known.items() if what not in before}
            link, what = link
            added.append(what)
        known = self.known
        return {what: known[what] for what in reversed(added) if what not in before}

    def common(self, other: Assumptions) -> Assumptions:
        """What both take for granted."""
        return Assumptions({what: value for what, value in self.known.items() if other.known.get(what) is value})


def _assume(known: dict[Symbol, bool], what: object, value: bool, latest: _Link | None) -> _Link | None:
    if not isinstance(what, Symbol):
        return latest
    known[what] = value
    latest = (latest, what)
    head = what.key[0]
    if head == "not":
        return _assume(known, what.key[1], not value, latest)
    if (head == "and" and value) or (head == "or" and not value):
        return _assume(known, what.key[2], value, _assume(known, what.key[1], value, latest))
    if head in ("and", "or"):  # it hangs on one part where the other is known
        for part, other in (what.key[1:3], what.key[2:0:-1]):
            if Assumptions(known)._truth(part) is (head == "and"):
                latest = _assume(known, other, value, latest)
    return latest

"""What holds on a path of the program: conditions, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ddplint.analysis.domain.constants import Fixed, answer, fixed
from ddplint.analysis.domain.symbols import watched
from ddplint.analysis.domain.term import Compound, In, Junction, Not, Operation, Symbol
from ddplint.analysis.domain.values import Const

_Link = tuple[Any, Symbol]
"""The assumptions before the latest one (a link, or ``None``), and the latest one."""


class PathCondition:
    """What a path takes for granted about uniform unknowns, with the simple consequences of not, and, or."""

    __slots__ = ("_fixed", "_latest", "_open", "known")

    def __init__(
        self,
        known: dict[Symbol, bool] | None = None,
        latest: _Link | None = None,
        still_open: tuple[Symbol, ...] = (),
    ) -> None:
        self.known = known or {}
        self._latest = latest
        self._open = still_open
        self._fixed: Fixed | None = None

    def get(self, what: Symbol) -> bool | None:
        """True, False, or None where nothing follows."""
        found = self.said(what)
        if found is None and self._open and isinstance(what, Compound):
            return self._by_contradiction(what)
        return found

    def said(self, what: Symbol) -> bool | None:
        """The same, without what only follows because the opposite does not go together with all the rest."""
        found = self.known.get(what)
        if found is not None or not self.known:
            return found
        found = _follows(self.known, what)
        return self._by_value(what) if found is None else found

    def independent(self) -> list[tuple[Symbol, bool]]:
        """Those from which all the others follow."""
        found = [(what, value) for what, value in self.known.items() if not isinstance(what, Compound)]
        return [*found, *((what, self.known[what]) for what in self._open)] if self._open else found

    def _by_contradiction(self, what: Symbol) -> bool | None:
        """What a condition must be because its opposite does not go together with what is assumed."""
        for value in (True, False):
            known = _Consistent(self.known)
            try:
                _resolved(known, *_assume(known, what, value, None, self._open))
            except _Impossible:
                return not value
        return None

    def _by_value(self, what: object) -> bool | None:
        """What a question about something is that is taken to be a constant: ``mode == "train"`` where it is "test"."""
        if isinstance(what, Not):
            inner = self._by_value(what.inner)
            return None if inner is None else not inner
        if not isinstance(what, (In, Operation)):
            return None
        if self._fixed is None:
            self._fixed = fixed(self.known)
        return answer(self._fixed, what) if self._fixed else None

    def add(self, what: Symbol, value: bool) -> PathCondition:
        """A new set with one more assumption and what follows from it."""
        return self.add_all(((what, value),))

    def add_all(self, more: Iterable[tuple[Symbol, bool]]) -> PathCondition:
        """A new set with more assumptions, one after the other."""
        known, latest, still_open = dict(self.known), self._latest, self._open
        for what, value in more:
            if not isinstance(what, Compound) and not (still_open and any(what in watched(one) for one in still_open)):
                known[what] = value
                latest = (latest, what)
                continue
            latest, still_open = _resolved(known, *_assume(known, what, value, latest, still_open))
        return PathCondition(known, latest, still_open)

    def since(self, earlier: PathCondition) -> dict[Symbol, bool]:
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

    def common(self, other: PathCondition) -> PathCondition:
        """What both take for granted."""
        return PathCondition({what: value for what, value in self.known.items() if other.known.get(what) is value})


class _Impossible(Exception):
    """Two assumptions exclude each other."""


class _Consistent(dict[Symbol, bool]):
    """Path conditions none of which excludes another."""

    def __setitem__(self, what: Symbol, value: bool) -> None:
        if self.get(what, value) is not value:
            raise _Impossible
        super().__setitem__(what, value)


def independent(known: Mapping[Symbol, bool]) -> list[tuple[Symbol, bool]]:
    """Literals from which all others follow: those about single unknowns, and of the compound ones what is open."""
    single = {what: value for what, value in known.items() if not isinstance(what, Compound)}
    if len(single) == len(known):
        return list(single.items())
    left: list[tuple[Symbol, bool]] = []
    for what, value in known.items():
        if not isinstance(what, Not) and (what in single or _follows(single, what) is not value):
            left.append((what, value))
    return left


def _follows(known: Mapping[Symbol, bool], what: Symbol) -> bool | None:
    """What a condition is where nothing is assumed of it as a whole."""
    if isinstance(what, Not):
        inner = _truth(known, what.inner)
        return None if inner is None else not inner
    if isinstance(what, Junction):
        first, second = _truth(known, what.first), _truth(known, what.second)
        decisive = what.decisive
        if first is decisive or second is decisive:
            return decisive
        return None if first is None or second is None else not decisive
    return None


def _truth(known: Mapping[Symbol, bool], part: object) -> bool | None:
    """Whether a part of a condition is true; the parts of ``a < b == b`` may be known."""
    if isinstance(part, Symbol):
        found = known.get(part)
        return _follows(known, part) if found is None else found
    return bool(part.value) if isinstance(part, Const) else None


_Open = tuple[Symbol, ...]
"""The conditions that are known to hold, or not to, of which nobody can say on account of which part."""


def _assume(
    known: dict[Symbol, bool], what: object, value: bool, latest: _Link | None, still_open: _Open
) -> tuple[_Link | None, _Open]:
    if not isinstance(what, Symbol):
        return latest, still_open
    known[what] = value
    latest = (latest, what)
    if isinstance(what, Not):
        return _assume(known, what.inner, not value, latest, still_open)
    if not isinstance(what, Junction):
        return latest, still_open
    if value is not what.decisive:
        latest, still_open = _assume(known, what.first, value, latest, still_open)
        return _assume(known, what.second, value, latest, still_open)
    return latest, (*still_open, what)


def _resolved(known: dict[Symbol, bool], latest: _Link | None, still_open: _Open) -> tuple[_Link | None, _Open]:
    """A condition hangs on one part where the other is known, and then on nothing else."""
    waiting, left = list(still_open), []
    while waiting:
        what = waiting.pop(0)
        assert isinstance(what, Junction)
        first, second, neutral = what.first, what.second, not what.decisive
        truths = _truth(known, first), _truth(known, second)
        if (not neutral) in truths:
            continue
        if neutral not in truths:
            left.append(what)
            continue
        other = second if truths[0] is neutral else first
        latest, more = _assume(known, other, not neutral, latest, ())
        waiting, left = [*left, *waiting, *more], []
    return latest, tuple(left)

"""Which splits of a trace belong together: one side passes at the second what the other passed at the first.

``if rank == 0: send()`` … ``if rank != 0: recv()``: the second is the other half of the first, and no fault by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from ddplint.analysis.compare.blame import Fault, fault_of
from ddplint.analysis.compare.effort import Effort
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.trace.nodes import Local, Node, Nodes, Split, every
from ddplint.util.budget import is_spent

Pair = tuple[int, int]
"""The two ranks that are compared."""

Passed = dict[int, list[PathCondition]]
"""The splits that a comparison went through, each with what was taken for granted there."""


class Pairing:
    """The splits of one trace, and which of them were passed as the other half of an earlier one.

    ``failed``: the splits in the handler that is followed, where one is: no other is consumed then.
    """

    def __init__(self, trace: Nodes, reported: frozenset[Fault], effort: Effort) -> None:
        self.reported = reported
        self.splits = {id(node): node for node in every(trace) if isinstance(node, Split)}
        self.guesses = {split for split, node in self.splits.items() if node.guard.guess}
        self.failed: frozenset[int] | None = None
        self._effort = effort
        self._consumed: dict[tuple[int, int, int], list[Sequence[PathCondition]]] = {}
        self._halves: dict[tuple[int, int, int], list[tuple[int, Sequence[PathCondition]]]] = {}
        self._endless: dict[Pair, list[PathCondition]] = {}

    def open_ways(self, node: Split | Local, known: PathCondition, pair: Pair) -> list[PathCondition]:
        """The assumptions under which a split was not yet passed as the other half of an earlier one.

        Where some passed it, those are left out under which an endless loop was cut: they would get there later.
        """
        ways, effort = [known], self._effort
        passed = self._consumed.get((id(node), *pair), [])
        for other in chain(*passed, self._endless.get(pair, ()) if passed else ()):
            if not ways or effort.is_used_up() or is_spent(effort.spent):
                break
            effort.spent += len(ways)
            ways = list(islice((left for way in ways for left in _without(way, other)), limits.OPEN_WAYS))
        return ways

    def cut(self, pair: Pair, ways: Iterable[PathCondition]) -> None:
        """Note ways on which an endless loop was cut."""
        self._endless.setdefault(pair, []).extend(ways)

    def consume(self, split: int, ways: Sequence[PathCondition], pair: Pair) -> None:
        """A split is the other half of an earlier one, unless it is a fault by itself."""
        if self.failed is not None and split not in self.failed:
            return
        if split not in self.splits or not self.is_reported(self.splits[split]):
            self._consumed.setdefault((split, *pair), []).append(ways)

    def pair_up(self, node: Node, passed: Mapping[int, Sequence[PathCondition]], pair: Pair) -> None:
        """The splits met on the way are the other halves of one that both sides parted at."""
        for split, ways in passed.items():
            self.consume(split, ways, pair)
            if split != id(node):
                self._halves.setdefault((split, *pair), []).append((id(node), ways))

    def halves_of(self, split: int, pair: Pair) -> Sequence[tuple[int, Sequence[PathCondition]]]:
        """The earlier splits that this one is the other half of, each with the ways on which it is."""
        return self._halves.get((split, *pair), ())

    def is_reported(self, split: Split) -> bool:
        """Whether a split is a fault that was found already."""
        return fault_of(split) in self.reported

    def is_at(self, split: int, faults: frozenset[Fault]) -> bool:
        """Whether a split (by identity) stands at one of these places."""
        return split in self.splits and fault_of(self.splits[split]) in faults


def note_passed(passed: Passed, more: Passed) -> None:
    """Add what was passed on a stretch of the way."""
    for split, ways in more.items():
        passed.setdefault(split, []).extend(ways)


def different(ways: Iterable[PathCondition]) -> list[PathCondition]:
    """The ways without those that take for granted what an earlier one does."""
    found: dict[frozenset[tuple[Symbol, bool]], PathCondition] = {}
    for way in ways:
        found.setdefault(frozenset(way.known.items()), way)
    return list(found.values())


def _without(way: PathCondition, passed: PathCondition) -> Iterator[PathCondition]:
    """What is left of a way when those that take ``passed`` for granted are taken out."""
    literals = passed.independent()
    if any(way.said(what) is (not value) for what, value in literals):
        yield way
        return
    for what, value in literals:
        if way.said(what) is None:
            yield way.add(what, not value)

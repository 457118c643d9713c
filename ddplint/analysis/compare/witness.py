"""Runs a trace from its start: can two ranks both come to the place where they are said to part?

Comparisons start in the middle. What decided earlier who gets there (a rank that raised on this very path, a return
under the same condition) is looked at here, once something was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from ddplint.analysis.compare.automaton import Automaton, Continuation, Step
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.trace.exits import EXITS, RAISES, ExitKind, Exits
from ddplint.analysis.trace.nodes import (
    Guarded,
    Node,
    Nodes,
    Op,
    Opaque,
    Split,
    every,
    leaves_by,
    outside,
    parts,
)
from ddplint.util.budget import is_spent

_EXITS = EXITS | {ExitKind.PRUNED}


class _TooLong(Exception):
    """The replay was given up: everything is taken to be possible."""


class Witness:
    """Replays of one trace; ``steps`` counts what they cost."""

    def __init__(self, machine: Automaton, trace: Nodes) -> None:
        self._machine = machine
        self._trace = trace
        self._left = 0
        self._leaving: dict[int, bool] = {}
        self._leaving_by: dict[int, Exits] = {}
        self._settled: dict[tuple[int, int], dict[int, Split]] = {}
        self._regions: dict[frozenset[int], _Region] = {}
        self.steps = 0

    def settle(self, ranks: tuple[int, int], splits: Iterable[Split]) -> None:
        """Note splits from which nothing was found: what two ranks do there fits together, or nobody can tell."""
        known = self._settled.setdefault(ranks, {})
        known.update((id(one), one) for one in splits if self._leaves(one) or any(map(_is_op, every([one]))))

    def both_reach(self, ranks: tuple[int, int], split: Split, known: tuple[PathCondition, PathCondition]) -> bool:
        """Whether both ranks may come to ``split`` in step, with what is ``known`` on their paths.

        They are out of step where one of them has operated behind an earlier split from which nothing was found: then
        its counterpart may lie behind this one. True also where nothing can be said within the budget.
        """
        if self._in_handler(split):
            return True
        self._left = limits.WITNESS_STEPS
        parted = {key: one for key, one in self._settled.get(ranks, {}).items() if one is not split}
        both = 1 << ranks[0] | 1 << ranks[1]
        on_the_way, region = self._around({id(split), *parted}), self._region(parted)

        def ways(rank: int, known: PathCondition) -> Iterator[tuple[PathCondition, int]]:
            return self._ways(rank, split, known, on_the_way, region, both)

        try:
            return any(
                first == second
                for shared, first in ways(ranks[0], known[0])
                for _, second in ways(ranks[1], self._merged(known[1], shared))
            )
        except _TooLong:
            return True
        finally:
            self.steps += limits.WITNESS_STEPS - self._left

    def _region(self, splits: Mapping[int, Split]) -> _Region:
        """Where only some ranks come to on account of some splits; others often ask for the same."""
        key = frozenset(splits)
        found = self._regions.get(key)
        if found is None:
            found = self._regions[key] = _Region(self._trace, splits, self._exits)
        return found

    def _exits(self, nodes: Nodes) -> Exits:
        """The kinds of exits by which some way leaves a list."""
        found = self._leaving_by.get(id(nodes))
        if found is None:
            kinds = frozenset(kind for kind in _EXITS if leaves_by(nodes, frozenset({kind})))
            found = self._leaving_by[id(nodes)] = kinds
        return found

    def _merged(self, known: PathCondition, more: PathCondition) -> PathCondition:
        merged = known
        for what, value in more.known.items():
            if merged.get(what) is None:
                merged = merged.add(what, value)
        return merged

    def _ways(
        self, rank: int, split: Split, known: PathCondition, on_the_way: set[int], region: _Region, both: int
    ) -> Iterator[tuple[PathCondition, int]]:
        """What all ranks agree on along each way on which ``rank`` comes to ``split``, and its operations apart."""
        machine = self._machine
        open_: list[tuple[Continuation | None, PathCondition, PathCondition, int]] = [
            (machine.enter(self._trace, None), known, PathCondition(), 0)
        ]
        while open_:
            cont, agreed, own, apart = open_.pop()
            self._left -= 1
            if self._left <= 0 or is_spent(self._left):
                raise _TooLong
            cont = machine.settle(cont)
            if cont is None:
                continue
            node = cont.nodes[cont.index]
            if node is split:
                yield agreed, apart
                continue
            if isinstance(node, (Op, Opaque)):
                apart += isinstance(node, Op) and _concerns(node, both) and region.holds(cont)
                open_.append((machine.next_of(cont), agreed, own, apart))
                continue
            inside = machine.inside(cont, rank)
            if id(node) not in on_the_way and not self._leaves(node) and not region.holds(cont):
                open_.append((machine.next_of(cont), agreed, own, apart))
                continue
            if inside is not None:
                open_.append((inside, agreed, own, apart))
                continue
            passed: set[int] = set()
            step = machine.step(cont, rank, passed, [])
            if id(split) in passed:
                yield agreed, apart
            elif step.end == "pruned":
                raise _TooLong
            elif step.symbol is None:
                if step.op is not None or step.opaque is not None:
                    apart += step.op is not None and _concerns(step.op, both) and region.holds(step.after)
                    open_.append((step.after, agreed, own, apart))
            else:
                given = own.get(step.symbol)
                given = agreed.get(step.symbol) if given is None else given
                for value, onward in ((False, step.other), (True, step.after)):
                    if given is None or given is value:
                        open_.append((onward, *_with(agreed, own, step, value), apart))

    def _in_handler(self, split: Split) -> bool:
        """Whether a split stands in a handler of what nobody raises: what leads there need not be in the trace."""
        return id(split) in self._unforeseen

    @cached_property
    def _unforeseen(self) -> frozenset[int]:
        """The nodes in handlers of what nobody raises, by identity."""
        guarded = (node for node in every(self._trace) if isinstance(node, Guarded) and node.unforeseen is not None)
        return frozenset(id(inner) for node in guarded for _, handler in node.handlers for inner in every(handler))

    def _leaves(self, node: Node) -> bool:
        """Whether what happens in a node decides over what comes after it."""
        known = self._leaving.get(id(node))
        if known is None:
            known = self._leaving[id(node)] = leaves_by([node], _EXITS)
        return known

    def _around(self, splits: set[int]) -> set[int]:
        """The nodes that splits stand in, and the splits themselves, by identity."""
        found: set[int] = set()
        open_ = [one for one in splits if one in self._holders]
        while open_:
            one = open_.pop()
            if one not in found:
                found.add(one)
                open_ += self._holders[one]
        return found

    @cached_property
    def _holders(self) -> dict[int, list[int]]:
        """The nodes that each node of the trace stands in, by identity."""
        found: dict[int, list[int]] = {id(node): [] for node in self._trace}
        for node in every(self._trace):
            for part in parts(node):
                for inner in part:
                    found.setdefault(id(inner), []).append(id(node))
        return found


def _is_op(node: Node) -> bool:
    return isinstance(node, Op)


def _concerns(op: Op, both: int) -> bool:
    """Whether two ranks (as a mask) take part in an operation."""
    return op.members == 0 or (op.members is not None and op.members & both == both)


class _Region:
    """Where only some ranks come to: inside the arms of splits, and behind splits that some of them leave from."""

    def __init__(self, trace: Nodes, splits: Mapping[int, Split], exits: Callable[[Nodes], Exits]) -> None:
        self._exits = exits
        self._arms = {id(nodes) for one in splits.values() for _, nodes in one.arms}
        self._behind: dict[int, int] = {}
        if splits:
            self._look(trace, splits)

    def _look(self, nodes: Nodes, splits: Mapping[int, Split]) -> Exits:
        """The exits that leave a list from one of the splits; behind that place the list is entered by some only."""
        found: Exits = frozenset()
        for index, node in enumerate(nodes):
            kinds = Exits()
            for part in parts(node):
                kinds |= self._look(part, splits)
            if id(node) in splits:
                kinds = kinds.union(*(self._exits(arm) for _, arm in splits[id(node)].arms))
            kinds = outside(node, kinds)
            if ExitKind.RAISE in kinds and isinstance(node, Guarded) and node.handlers:
                kinds -= RAISES
                self._arms |= {id(handler) for _, handler in node.handlers}
            if kinds:
                self._behind.setdefault(id(nodes), index)
            found |= kinds
        return found

    def holds(self, cont: Continuation | None) -> bool:
        """Whether a place is in it."""
        place, inner = cont, 0
        while place is not None:
            behind = self._behind.get(id(place.nodes))
            if id(place.nodes) in self._arms or (behind is not None and place.index > behind + inner):
                return True
            place, inner = place.parent, 1
        return False


def _with(agreed: PathCondition, own: PathCondition, step: Step, value: bool) -> tuple[PathCondition, PathCondition]:
    assert step.symbol is not None
    if step.local:
        return agreed, own.add(step.symbol, value)
    return agreed.add(step.symbol, value), own

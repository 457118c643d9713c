"""Compares what ranks do: where two traces part and do not meet again, there is a divergence.

The trace is followed with all ranks together. At each place where two of them part, both sides are run on, operation
against operation, until they stand at the same place again (fine), or one does what the other does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddplint.analysis.compare import usual
from ddplint.analysis.compare.automaton import DROPPED, Automaton, Continuation, End
from ddplint.analysis.compare.blame import BlameIndex, Fault, fault_of
from ddplint.analysis.compare.effort import Effort
from ddplint.analysis.compare.explain import divergence_of
from ddplint.analysis.compare.lockstep import Attempt, GiveUp, Shared
from ddplint.analysis.compare.pairing import Pairing, Passed, different
from ddplint.analysis.compare.sides import Failure, broken_off, first_and_others, hangs_on_stage, ways_beside
from ddplint.analysis.compare.witness import Witness
from ddplint.analysis.domain.limits import ATTEMPTS_AT_A_PLACE, BLAME_ROUNDS, DECISIONS_BESIDE, PAIRED_STEPS
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.outcome import DivergenceKind
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.symbols import Symbol, undecided
from ddplint.analysis.domain.values import EVERYONE, ranks_of
from ddplint.analysis.trace.events import Divergence
from ddplint.analysis.trace.exits import RAISES
from ddplint.analysis.trace.failing import fail_alike
from ddplint.analysis.trace.nodes import (
    Choice,
    Exit,
    Guarded,
    Hole,
    Local,
    Loop,
    Managed,
    Node,
    Nodes,
    Op,
    Scope,
    Split,
    every,
    in_later_iterations,
    leaves_by,
    often,
)
from ddplint.analysis.trace.simplify import simplified
from ddplint.analysis.trace.unknown_groups import taken_for_all
from ddplint.util.budget import SPENT, is_spent

LEFT_OUT = "failures that all ranks share were left out of the comparison: it is long"
_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


class Comparison:
    """Finds the divergences of one trace; what lies behind faults ``reported`` before is passed over from elsewhere."""

    def __init__(self, trace: Nodes, reported: frozenset[Fault] = frozenset()) -> None:
        self.trace = trace
        self.own: set[Fault] = set()
        self.blamed: set[Fault] = set()
        self.found: dict[tuple[object, ...], Divergence] = {}
        self.hopeless: Counter[int] = Counter()
        self.pair = (0, 1)
        self.machine = Automaton()
        self.effort = Effort()
        self.pairing = Pairing(trace, reported, self.effort)
        self.witness = Witness(self.machine, trace)
        self._cut: dict[int, list[Nodes]] = {}
        self.shared = Shared(self.machine, BlameIndex(trace), self.witness, self.pairing, self.effort)

    def run(self) -> list[Divergence]:
        """All divergences, in program order of their guards."""
        for pair in self._pairs():
            self.pair = pair
            self._follow(self.machine.enter(self.trace, None), PathCondition(), identity=True)
        if self._has_locals():
            for rank in self._twins():
                self.pair = (rank, rank)
                self._follow(self.machine.enter(self.trace, None), PathCondition(), identity=False)
        return list(self.found.values())

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of ranks that some split tells apart, and that no earlier pair stands for."""
        groups: dict[tuple[int, ...], int] = {}
        splits = [node for node in every(self.trace) if isinstance(node, Split)]
        grouped = any(isinstance(node, Op) and node.members for node in every(self.trace))
        for rank in ranks_of(EVERYONE):
            arms = tuple(next((i for i, (mask, _) in enumerate(s.arms) if mask >> rank & 1), -1) for s in splits)
            groups.setdefault(arms if not grouped else (rank, *arms), rank)
        chosen = sorted(groups.values())
        for pair in _PAIRS:
            if pair[0] in chosen and pair[1] in chosen and (pair[0] == chosen[0] or grouped):
                yield pair

    def _twins(self) -> Iterator[int]:
        """The ranks that are compared with a twin: the first, and one for those that go on where the first raises."""
        first = ranks_of(EVERYONE)[0]
        groups = {node.members for node in every(self.trace) if isinstance(node, Op) and node.members}
        yield from dict.fromkeys((first, *(ranks_of(members)[0] for members in sorted(groups))))
        raising = [
            mask
            for node in self.pairing.splits.values()
            for mask, nodes in node.arms
            if mask >> first & 1 and leaves_by(nodes, RAISES)
        ]
        if raising:
            yield from ranks_of(EVERYONE & ~raising[0])[:1]

    def _has_locals(self) -> bool:
        """Whether somewhere each rank decides for itself: then a rank is compared with a twin of itself."""
        return any(
            isinstance(node, Local)
            or (isinstance(node, Guarded) and node.swallows)
            or (isinstance(node, Loop) and node.local)
            for node in every(self.trace)
        )

    # -- together ----------------------------------------------------------------------------------------------------

    def _follow(self, cont: Continuation, known: PathCondition, identity: bool) -> None:
        """Walk the list at ``cont`` with both ranks together."""
        machine = self.machine
        for index, node in enumerate(cont.nodes):
            here = machine.at(cont.kind, cont.nodes, index, cont.extra, cont.parent)
            after = machine.next_of(here)
            if isinstance(node, Split):
                self._split(node, after, known, identity)
            elif isinstance(node, (Choice, Local)):
                if isinstance(node, Local) and not identity:
                    self._local(node, after, known)
                given = known.get(node.symbol)
                if given is not False:
                    self._follow(machine.enter(node.then, after), known.add(node.symbol, True), identity)
                if given is not True:
                    self._follow(machine.enter(node.other, after), known.add(node.symbol, False), identity)
                if isinstance(node, Choice):
                    known = _behind(node, known)
            elif isinstance(node, Loop):
                self._loop(node, after, known, identity)
            elif isinstance(node, Scope):
                self._follow(machine.enter(node.nodes, after, End.SCOPE, node.catches), known, identity)
            elif isinstance(node, Guarded):
                self._guarded(node, after, known, identity)
            elif isinstance(node, Managed):
                dropped = None if node.resumed else DROPPED
                self._follow(machine.enter(node.nodes, after, End.MANAGED, dropped), known, identity)
            elif isinstance(node, Hole):
                self._follow(machine.enter(node.nodes, after, End.HOLE), known, identity)

    def _split(self, node: Split, after: Continuation, known: PathCondition, identity: bool) -> None:
        first, second = self.pair
        if not identity:
            for mask, nodes in node.arms:
                self.pair = (ranks_of(mask)[0], ranks_of(mask)[0]) if mask else self.pair
                self._follow(self.machine.enter(nodes, after), known, identity)
            self.pair = (first, second)
            return
        arms = [next(((m, n) for m, n in node.arms if m >> rank & 1), (0, [])) for rank in (first, second)]
        if arms[0][1] is arms[1][1]:
            self._follow(self.machine.enter(arms[0][1], after), known, identity)
            return
        sides = (arms[0][1], arms[1][1])
        conts = [self.machine.enter(nodes, after) for nodes in sides]
        for way in self.pairing.open_ways(node, known, self.pair):
            failure = self._check(node, conts[0], conts[1], way, sides, shared=True)
            if failure is not None:
                failure = self._surer(failure, node, conts, way, sides)
                self._report(node.guard, failure, sides, (ranks_of(arms[0][0]), ranks_of(arms[1][0])))
                return

    def _surer(
        self,
        failure: Failure,
        node: Split,
        conts: Sequence[Continuation],
        way: PathCondition,
        sides: tuple[Nodes, Nodes],
    ) -> Failure:
        """A failure on another way, where that of this one hangs on a configuration; else this one."""
        for other in ways_beside(failure, way) if hangs_on_stage(failure) else ():
            found = self._check(node, conts[0], conts[1], other, sides, shared=True)
            if found is not None and not hangs_on_stage(found):
                return found
        return failure

    def _local(self, node: Local, after: Continuation, known: PathCondition) -> None:
        alone = node.mask & (node.mask - 1) == 0
        if alone or not node.mask >> self.pair[0] & 1 or not (node.then or node.other):
            return
        then, other = self.machine.enter(node.then, after), self.machine.enter(node.other, after)
        for way in self.pairing.open_ways(node, known, self.pair):
            if way.get(node.symbol) is not None:
                continue  # what all ranks know decides it
            sides = (node.then, node.other)
            failure = self._check(node, then, other, way, sides, shared=False, start=(node.symbol, True))
            if failure is not None:
                self._report(node.guard, failure, sides, first_and_others(node.mask))
                return

    def _loop(self, node: Loop, after: Continuation, known: PathCondition, identity: bool) -> None:
        machine = self.machine
        if node.local and not identity and not node.tolerated and node.guard is not None:
            # what one rank does more often than another is done in later iterations, too
            last = len(node.iterations) - 1
            start = machine.start_iteration(node, last, after)
            sides: tuple[Nodes, Nodes] = (node.iterations[last], [])
            then = known.add_all(in_later_iterations(node.iterations[last]))
            failure = self._check(node, start, after, then, sides, shared=False) if often(sides[0]) else None
            if failure is not None:
                self._report(node.guard, failure, sides, first_and_others(node.mask), kind=DivergenceKind.ROUNDS)
        for index in range(len(node.iterations)):
            inner = known
            if index < len(node.more):
                inner = known.add(node.more[index], True)
            self._follow(machine.start_iteration(node, index, after), inner, identity)

    def _guarded(self, node: Guarded, after: Continuation, known: PathCondition, identity: bool) -> None:
        machine = self.machine
        body = machine.enter(node.body, after, End.TRY, node)
        handlers = [machine.enter(nodes, after, End.HANDLER, node) for _, nodes in node.handlers]
        alone = node.mask & (node.mask - 1) == 0
        if (
            not identity
            and not alone
            and node.swallows
            and node.guard is not None
            and node.unforeseen is not None
            and not (node.broken and fail_alike(node.body))
            and node.mask >> self.pair[0] & 1
            and not any(known.get(what) is (not true) for what, true in node.failing)
        ):
            sides = (node.handlers[node.unforeseen][1], node.body)
            there = known.add_all(node.failing)
            failure = self._check(node, handlers[node.unforeseen], body, there, sides, shared=False)
            for done in self._cut.setdefault(id(node), broken_off(node, sides[0])) if failure is None else ():
                failure = failure or self._check(node, self._late(done, node, after), body, known, sides, shared=False)
            if failure is not None:
                self._report(node.guard, failure, sides, first_and_others(node.mask))
        self._follow(body, known, identity)
        for number, handler in enumerate(handlers):
            if not (node.broken and number == node.unforeseen):
                self._handled(handler, node.handlers[number][1], known, identity)
        if node.final:
            self._follow(machine.enter(node.final, after), known, identity)

    def _late(self, done: Nodes, node: Guarded, after: Continuation) -> Continuation:
        """A rank that fails behind some operations of a ``try`` has run them, and then comes to the handler."""
        assert node.unforeseen is not None
        handler = self.machine.enter(node.handlers[node.unforeseen][1], after, End.HANDLER, node)
        return self.machine.enter(done, handler)

    def _handled(self, handler: Continuation, nodes: Nodes, known: PathCondition, identity: bool) -> None:
        """What a handler does on the ways on which something failed; others pass what is reached later, too."""
        outer = self.pairing.failed
        self.pairing.failed = frozenset(id(one) for one in every(nodes) if isinstance(one, Split))
        self._follow(handler, known, identity)
        self.pairing.failed = outer

    # -- apart -------------------------------------------------------------------------------------------------------

    def _check(
        self,
        node: Node,
        first: Continuation,
        second: Continuation,
        known: PathCondition,
        arms: tuple[Nodes, Nodes],
        shared: bool,
        start: tuple[Symbol, bool] | None = None,
    ) -> Failure | None:
        """Run both sides until they meet again; the first difference, or None."""
        guard = getattr(node, "guard", None)
        place = id(guard.node) if guard is not None else id(node)
        if self.effort.is_used_up() or self.hopeless[place] >= ATTEMPTS_AT_A_PLACE or is_spent():
            self.effort.limited = True
            self.effort.left_out.add(place)
            return None
        attempt = Attempt(self.shared, node, arms, self.pair)
        passed: Passed = {}
        ways = (known, known)
        if start is not None:
            what, value = start
            known = known.add_all(undecided(what))
            ways = (known.add(what, value), known.add(what, not value))
        failure, ended = None, True
        try:
            failure = attempt.run(first, second, ways, shared, passed)
        except (GiveUp, RecursionError):  # where the system gives no deep stack, Python's own limit comes first
            self.effort.limited = True
            self.effort.left_out.add(place)
            self.hopeless[place] += 1
            ended = False
        self.effort.spent += attempt.steps
        if not ended or attempt.steps > PAIRED_STEPS:
            for split in passed:  # what lies there may be the other half of this
                self.pairing.consume(split, [known], self.pair)
        if not ended:
            self._settle(node, passed)
            return None
        if failure is not None and (
            attempt.may_meet(failure) or (shared and attempt.go_together((first, second), known, failure))
        ):
            self._settle(node, passed)
            return None
        if failure is None:
            self._settle(node, passed)
            if not attempt.dead:
                again = dict.fromkeys(passed, different(attempt.repeated))  # not run again, it passes the same
                self.pairing.pair_up(node, passed, self.pair)
                self.pairing.pair_up(node, again, self.pair)
        elif failure.blamed:
            self.blamed |= failure.blamed
            beside = {split: ways for split, ways in passed.items() if not self.pairing.is_at(split, failure.blamed)}
            self.pairing.pair_up(node, beside, self.pair)
        elif (fault := fault_of(node)) is not None:
            self.own.add(fault)
        if failure is not None and shared:
            self._pass_elsewhere(attempt, (first, second), known, failure)
        if failure is not None and not failure.blamed:
            usual.note(attempt, (first, second), ways, shared, failure)
        return failure

    def _pass_elsewhere(
        self, attempt: Attempt, conts: tuple[Continuation, Continuation], known: PathCondition, failure: Failure
    ) -> None:
        """On the ways beside the one that fails, the two sides may meet: what they pass there is the other half."""
        for what, value in [*failure.known.since(known).items()][:DECISIONS_BESIDE]:
            passed: Passed = {}
            if attempt.meet(conts, known.add(what, not value), passed):
                self.pairing.pair_up(attempt.parting, passed, self.pair)
            known = known.add(what, value)

    def _settle(self, node: Node, passed: Passed) -> None:
        """Nothing was found from a split on: it and the splits met on the way belong together."""
        if isinstance(node, Split) and not self.pairing.is_reported(node):
            met = (self.pairing.splits[split] for split in passed if split in self.pairing.splits)
            self.witness.settle(self.pair, (node, *(split for split in met if not self.pairing.is_reported(split))))

    def _report(
        self,
        guard: Guard,
        failure: Failure,
        arms: tuple[Nodes, Nodes],
        ranks: tuple[tuple[int, ...], tuple[int, ...]],
        kind: DivergenceKind | None = None,
    ) -> None:
        reported = divergence_of(guard, failure, arms, ranks, kind)
        if reported is not None:
            # it may be the other half of what was not followed to its end
            reported = replace(reported, doubtful=self.effort.limited)
            self.found.setdefault((id(reported.guard.node), id(reported.anchor.node), reported.guard.reason), reported)


def _behind(node: Choice, known: PathCondition) -> PathCondition:
    """What holds behind a decision from which one arm always leaves."""
    left = [any(isinstance(one, Exit) for one in arm) for arm in (node.then, node.other)]
    return known.add(node.symbol, left[1]) if left[0] != left[1] and known.get(node.symbol) is None else known


def compare(trace: Nodes) -> tuple[list[Divergence], list[str]]:
    """The divergences of a trace, and the limits that were reached."""
    found, limits = _compare(trace)
    for variant in taken_for_all(trace):
        known = {id(one.guard.node) for one in found}
        again = _compare(variant.trace)[0]
        own = {fault_of(one) for one in again}
        found = [one for one in found if id(one.guard.node) not in variant.alone or fault_of(one) in own]
        found += [one for one in again if id(one.guard.node) in variant.asking - known]
    return found, limits


def _compare(trace: Nodes) -> tuple[list[Divergence], list[str]]:
    short, cut = simplified(trace)
    comparison = Comparison(short)
    found = comparison.run()
    reported = frozenset[Fault]()
    for _ in range(BLAME_ROUNDS):  # each fault that is set aside may show the next one of a series
        more = (comparison.own & comparison.blamed) - reported
        if not more:
            break
        reported |= more
        comparison = Comparison(short, reported)
        again = comparison.run()
        missing = reported - {fault_of(one) for one in again}
        found = [*again, *(one for one in found if fault_of(one) in missing)]
    else:
        comparison.effort.limited = True
    limits = [LEFT_OUT] if cut else []
    return found, [*limits, *([_stopped(comparison.effort)] if comparison.effort.limited else [])]


def _stopped(effort: Effort) -> str:
    count = len(effort.left_out)
    said = f"{SPENT}, comparison stopped" if is_spent() else "comparison stopped at its limit"
    return f"{said}; places where ranks part and that were not compared: {count}" if count else said

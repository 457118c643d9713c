"""Compares what ranks do: where two traces part and do not meet again, there is a divergence.

The trace is followed with all ranks together. At each place where two of them part, both sides are run on, operation
against operation, until they stand at the same place again (fine), or one does what the other does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from ddplint.analysis.compare.automaton import DROPPED, Cont, Machine, Step
from ddplint.analysis.compare.blame import Arms, Fault, fault_of
from ddplint.analysis.compare.explain import divergence_of
from ddplint.analysis.compare.sides import Failure, Met, Thread, leaver
from ddplint.analysis.compare.witness import Replay
from ddplint.analysis.domain.facts import Divergence
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.domain.path_condition import Assumptions
from ddplint.analysis.domain.provenance import are_options_apart
from ddplint.analysis.domain.symbols import Symbol, undecided
from ddplint.analysis.domain.values import EVERYONE, ranks_of
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
    in_later_rounds,
    leaves_by,
    often,
)
from ddplint.analysis.trace.simplify import simplified
from ddplint.analysis.trace.unknown_groups import taken_for_all
from ddplint.util.budget import SPENT, is_spent

_MAX_STEPS = 1500
_MAX_ALL = 60_000
_MAX_VISITS = 2
_MAX_HOPELESS = 2
_MAX_LAST = 12_000
"""Steps of the last attempt at a place, as long as there are some left of those that all such attempts share."""
_MAX_LASTS = 60_000
_MAX_WAYS = 4
_MAX_PAIRS = 6
_MAX_DECISIONS = 8
_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


Passed = dict[int, list[Assumptions]]
"""The splits that a comparison went through, each with what was taken for granted there."""


class _GiveUp(Exception):
    """Something on one side could not be followed: no verdict."""


class Comparison:
    """Finds the divergences of one trace; what lies behind ``told``, known faults, is passed over from elsewhere."""

    def __init__(self, trace: Nodes, told: frozenset[Fault] = frozenset()) -> None:
        self.trace = trace
        self.told = told
        self.own: set[Fault] = set()
        self.blamed: set[Fault] = set()
        self.places = Arms(trace)
        self.machine = Machine()
        self.found: dict[tuple[object, ...], Divergence] = {}
        self.splits = {id(node): node for node in every(trace) if isinstance(node, Split)}
        self.guesses = {split for split, node in self.splits.items() if node.guard.guess}
        self.consumed: dict[tuple[int, int, int], list[Sequence[Assumptions]]] = {}
        self.halves: dict[tuple[int, int, int], list[tuple[int, Sequence[Assumptions]]]] = {}
        self.failed: frozenset[int] | None = None
        self.endless: dict[tuple[int, int], list[Assumptions]] = {}
        self.order = (True, False)
        self.silent: set[str] = set()
        self.steps = 0
        self.spent = 0
        self.limited = False
        self.pair = (0, 1)
        self.arms: tuple[Nodes, Nodes] = ([], [])
        self.parting: Node | None = None
        self.dead = False
        self.over = False
        self.hopeless: Counter[int] = Counter()
        self.allowed = _MAX_STEPS
        self.left = _MAX_LASTS
        self.replay = Replay(self.machine, trace)

    def run(self) -> list[Divergence]:
        """All divergences, in program order of their guards."""
        for pair in self._pairs():
            self.pair = pair
            self._follow(self.machine.enter(self.trace, None), Assumptions(), identity=True)
        if self._has_locals():
            for rank in self._twins():
                self.pair = (rank, rank)
                self._follow(self.machine.enter(self.trace, None), Assumptions(), identity=False)
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
            for node in self.splits.values()
            for mask, nodes in node.arms
            if mask >> first & 1 and leaves_by(nodes, frozenset({"raise"}))
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

    def _follow(self, cont: Cont, known: Assumptions, identity: bool) -> None:
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
                self._follow(machine.enter(node.nodes, after, "scope", node.catches), known, identity)
            elif isinstance(node, Guarded):
                self._guarded(node, after, known, identity)
            elif isinstance(node, Managed):
                dropped = None if node.resumed else DROPPED
                self._follow(machine.enter(node.nodes, after, "managed", dropped), known, identity)
            elif isinstance(node, Hole):
                self._follow(machine.enter(node.nodes, after, "hole"), known, identity)

    def _split(self, node: Split, after: Cont, known: Assumptions, identity: bool) -> None:
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
        conts = [self.machine.enter(nodes, after) for _, nodes in arms]
        for way in self._open_ways(node, known):
            failure = self._check(node, conts[0], conts[1], way, (arms[0][1], arms[1][1]), shared=True)
            if failure is not None:
                self._report(node.guard, failure, ranks_of(arms[0][0]), ranks_of(arms[1][0]))
                return

    def _open_ways(self, node: Split | Local, known: Assumptions) -> list[Assumptions]:
        """The assumptions under which a split was not yet passed as the other half of an earlier one.

        Where some passed it, those are left out under which an endless loop was cut: they would come by later.
        """
        ways = [known]
        passed = self.consumed.get((id(node), *self.pair), [])
        for other in chain(*passed, self.endless.get(self.pair, ()) if passed else ()):
            if not ways or self.spent > _MAX_ALL or is_spent(self.spent):
                break
            self.spent += len(ways)
            ways = list(islice((left for way in ways for left in _without(way, other)), _MAX_WAYS))
        return ways

    def _local(self, node: Local, after: Cont, known: Assumptions) -> None:
        alone = node.mask & (node.mask - 1) == 0
        if alone or not node.mask >> self.pair[0] & 1 or not (node.then or node.other):
            return
        then, other = self.machine.enter(node.then, after), self.machine.enter(node.other, after)
        for way in self._open_ways(node, known):
            if way.get(node.symbol) is not None:
                continue  # what all ranks know decides it
            failure = self._check(
                node, then, other, way, (node.then, node.other), shared=False, start=(node.symbol, True)
            )
            if failure is not None:
                everyone = ranks_of(node.mask)
                self._report(node.guard, failure, everyone[:1], everyone[1:] or everyone)
                return

    def _loop(self, node: Loop, after: Cont, known: Assumptions, identity: bool) -> None:
        machine = self.machine
        if node.local and not identity and not node.tolerated and node.guard is not None:
            last = len(node.rounds) - 1  # what one rank does more often than another is done in later rounds, too
            start = machine.start_round(node, last, after)
            sides: tuple[Nodes, Nodes] = (node.rounds[last], [])
            then = known.add_all(in_later_rounds(node.rounds[last]))
            failure = self._check(node, start, after, then, sides, shared=False) if often(sides[0]) else None
            if failure is not None:
                everyone = ranks_of(node.mask)
                self._report(node.guard, failure, everyone[:1], everyone[1:] or everyone, kind="rounds")
        for index in range(len(node.rounds)):
            inner = known
            if index < len(node.more):
                inner = known.add(node.more[index], True)
            self._follow(machine.start_round(node, index, after), inner, identity)

    def _guarded(self, node: Guarded, after: Cont, known: Assumptions, identity: bool) -> None:
        machine = self.machine
        body = machine.enter(node.body, after, "try", node)
        handlers = [machine.enter(nodes, after, "handler", node) for _, nodes in node.handlers]
        alone = node.mask & (node.mask - 1) == 0
        if (
            not identity
            and not alone
            and node.swallows
            and node.guard is not None
            and node.unforeseen is not None
            and not (node.broken and _fails_alike(node))
            and node.mask >> self.pair[0] & 1
        ):
            swallowing = node.handlers[node.unforeseen][1]
            failure = self._check(node, handlers[node.unforeseen], body, known, (swallowing, node.body), shared=False)
            if failure is not None:
                everyone = ranks_of(node.mask)
                self._report(node.guard, failure, everyone[:1], everyone[1:] or everyone)
        self._follow(body, known, identity)
        for number, handler in enumerate(handlers):
            if not (node.broken and number == node.unforeseen):
                self._handled(handler, node.handlers[number][1], known, identity)
        if node.final:
            self._follow(machine.enter(node.final, after), known, identity)

    def _handled(self, handler: Cont, nodes: Nodes, known: Assumptions, identity: bool) -> None:
        """What a handler does, on the ways on which something failed; what comes by later is passed on others, too."""
        outer, self.failed = self.failed, frozenset(id(one) for one in every(nodes) if isinstance(one, Split))
        self._follow(handler, known, identity)
        self.failed = outer

    # -- apart -------------------------------------------------------------------------------------------------------

    def _check(
        self,
        node: Node,
        first: Cont,
        second: Cont,
        known: Assumptions,
        arms: tuple[Nodes, Nodes],
        shared: bool,
        start: tuple[Symbol, bool] | None = None,
    ) -> Failure | None:
        """Run both sides until they meet again; the first difference, or None."""
        guard = getattr(node, "guard", None)
        place = id(guard.node) if guard is not None else id(node)
        if self.spent > _MAX_ALL or self.hopeless[place] >= _MAX_HOPELESS or is_spent():
            self.limited = True
            return None
        self.steps = 0
        last = self.hopeless[place] == _MAX_HOPELESS - 1
        self.allowed = max(_MAX_STEPS, min(_MAX_LAST, self.left)) if last else _MAX_STEPS
        self.visits: dict[tuple[int, int], int] = {}
        self.repeated: list[Assumptions] = []
        self.arms = arms
        self.parting = node
        self.dead = False
        self.silent = set[str]()
        passed: Passed = {}
        ways = (known, known)
        if start is not None:
            what, value = start
            known = known.add_all(undecided(what))
            ways = (known.add(what, value), known.add(what, not value))
        try:
            failure = self._run(first, second, ways, shared, passed)
        except _GiveUp:
            self.hopeless[place] += 1
            self._untold(node, passed)
            for split in passed:  # what lies there may be the other half of this
                self._consume(split, [known])
            return None
        finally:
            if self.allowed > _MAX_STEPS:
                self.left -= self.steps
            else:
                self.spent += self.steps
        if failure is not None and (
            self._may_meet(failure) or (shared and self._go_together((first, second), known, failure))
        ):
            self._untold(node, passed)
            return None
        if failure is None:
            self._untold(node, passed)
            if not self.dead:
                self._pair_up(node, passed)
                self._pair_up(
                    node, dict.fromkeys(passed, _different(self.repeated))
                )  # not run again, it passes the same
        elif failure.blamed:
            self.blamed |= failure.blamed
            self._pair_up(node, {split: ways for split, ways in passed.items() if not self._at(split, failure.blamed)})
        elif (fault := fault_of(node)) is not None:
            self.own.add(fault)
        if failure is not None and shared:
            self._pass_elsewhere(node, (first, second), known, failure)
        return failure

    def _pass_elsewhere(self, node: Node, conts: tuple[Cont, Cont], known: Assumptions, failure: Failure) -> None:
        """On the ways beside the one that fails, the two sides may meet: what they pass there is the other half."""
        for what, value in [*failure.known.since(known).items()][:_MAX_DECISIONS]:
            passed: Passed = {}
            if self._meet(conts, known.add(what, not value), passed):
                self._pair_up(node, passed)
            known = known.add(what, value)

    def _run(
        self, first: Cont, second: Cont, ways: tuple[Assumptions, Assumptions], shared: bool, passed: Passed
    ) -> Failure | None:
        """Both sides from where they part; once more the other way round, where a call may hide a counterpart.

        That it does not may be seen on a way on which the sides meet again. What else is found there tells nothing.
        """
        found: list[Failure | None] = []
        for self.order in ((True, False), (False, True)):
            a = Thread(first, self.pair[0], ways[0], Met())
            b = Thread(second, self.pair[1], ways[1], Met())
            found.append(self._lockstep(a, b, shared, passed, 0))
            if found[0] is None or not self._may_meet(found[0]):
                break
        return found[0]

    def _at(self, split: int, faults: frozenset[Fault]) -> bool:
        return split in self.splits and fault_of(self.splits[split]) in faults

    def _pair_up(self, node: Node, passed: Mapping[int, Sequence[Assumptions]]) -> None:
        """The splits met on the way are the other halves of one that both sides parted at."""
        for split, ways in passed.items():
            self._consume(split, ways)
            if split != id(node):
                self.halves.setdefault((split, *self.pair), []).append((id(node), ways))

    def _go_together(self, conts: tuple[Cont, Cont], known: Assumptions, failure: Failure) -> bool:
        """Whether two questions, one on each side's way, explain it: they meet where the answers go together.

        What each side sees in the very condition where they part is none of the kind.

        ``if "mask" in batch: broadcast(mask)`` on one rank, and ``if args.mask: broadcast(mask)`` on the others.
        """
        mine, theirs = (met.asked for met in failure.met)
        here = self._asked_here()
        pairs = [
            (a, b) for a in mine if a not in theirs for b in theirs if b not in mine and not (a in here and b in here)
        ]
        pairs = [(a, b) for a, b in pairs if not are_options_apart(a, b)]
        for a, b in pairs[:_MAX_PAIRS]:
            ways = (known.add(a, mine[a]).add(b, not theirs[b]), known.add(a, not mine[a]).add(b, theirs[b]))
            if all(self._meet(conts, way, {}) for way in ways):
                return True
        return False

    def _asked_here(self) -> set[Symbol]:
        """What the condition is on each side at which the two part."""
        node = self.parting.guard.node if isinstance(self.parting, Split) else None
        inner = (one for arm in self.arms for one in every(arm) if isinstance(one, Choice))
        return {one.symbol for one in inner if one.guard is not None and one.guard.node is node}

    def _meet(self, conts: tuple[Cont, Cont], way: Assumptions, passed: Passed) -> bool:
        """Whether both sides surely meet on a way: not because the program ends there on one of them."""
        self.visits, self.over = {}, False
        try:
            return self._run(*conts, (way, way), True, passed) is None and not self.over
        except _GiveUp:
            return False

    def _consume(self, split: int, ways: Sequence[Assumptions]) -> None:
        """A split is the other half of an earlier one, unless it is a fault by itself."""
        if self.failed is not None and split not in self.failed:
            return
        if split not in self.splits or not self._is_told(self.splits[split]):
            self.consumed.setdefault((split, *self.pair), []).append(ways)

    def _untold(self, node: Node, passed: Passed) -> None:
        """Nothing was found from a split on: it and the splits met on the way belong together."""
        if isinstance(node, Split) and not self._is_told(node):
            met = (self.splits[split] for split in passed if split in self.splits)
            self.replay.settle(self.pair, (node, *(split for split in met if not self._is_told(split))))

    def _is_told(self, split: Split) -> bool:
        return fault_of(split) in self.told

    def _lockstep(self, a: Thread, b: Thread, shared: bool, passed: Passed, depth: int) -> Failure | None:
        machine = self.machine
        while True:
            self.steps += 1
            if self.steps > self.allowed or depth > 60 or is_spent(self.steps):
                self.limited = True
                raise _GiveUp
            a.cont, b.cont = machine.settle(a.cont), machine.settle(b.cont)
            if a.cont is b.cont:
                if not (a.met.opaque and b.met.opaque):  # the program works where they meet: nothing is hidden there
                    self.silent |= {name for name in (*a.met.opaque, *b.met.opaque) if name}
                return None
            if depth:
                place = (id(a.cont), id(b.cont))
                self.visits[place] = self.visits.get(place, 0) + 1
                if self.visits[place] > _MAX_VISITS:
                    self.repeated += (a.known, b.known)
                    return None
            first: Passed = {}
            x = self._advance(a, b, shared, first)
            if x.symbol is not None and not x.round:
                _note_passed(passed, first)
                return self._fork(x, a, b, shared, passed, depth)
            second: Passed = {}
            y = self._advance(b, a, shared, second)
            if x.symbol is not None or y.symbol is None:
                _note_passed(passed, first)
            if x.symbol is None or (x.round and y.round and shared):
                _note_passed(passed, second)
            if x.round and y.round and shared:
                return self._rounds(x, y, a, b, passed, depth)
            if x.symbol is not None:
                return self._fork(x, a, b, shared, passed, depth)
            if y.symbol is not None:
                return self._fork(y, b, a, shared, passed, depth, swapped=True)
            if "pruned" in (x.end, y.end) or "raise" in (x.end, y.end):
                self.over = True
                cut = [thread.known for thread, step in ((a, x), (b, y)) if step.end == "pruned"]
                self.endless.setdefault(self.pair, []).extend(cut)
                return None
            if x.op is None and y.op is None:
                return None
            if x.op is not None and y.op is not None and x.op.kind == y.op.kind and x.op.group == y.op.group:
                a.cont, b.cont = x.after, y.after
                self._note(a, x.op, x)
                self._note(b, y.op, y)
                continue
            paid = next(((step, one) for step, one in ((x, a), (y, b)) if self._is_paid(step, one, passed)), None)
            if paid is not None:
                paid[1].cont = paid[0].after
                continue
            apart = [self._elsewhere(step) for step in (x, y)]
            sides = ((x, a, apart[0]), (y, b, apart[1]))
            elsewhere = next(((step, one) for step, one, faults in sides if not faults.isdisjoint(self.told)), None)
            if elsewhere is not None:
                elsewhere[1].cont = elsewhere[0].after
                continue
            if a.paired and b.paired and (a.picked or b.picked):
                return None  # which rounds communicate is taken to be agreed, as their number is
            if x.op is not None:
                self._note(a, x.op, x)
            if y.op is not None:
                self._note(b, y.op, y)
            if isinstance(self.parting, Split) and not self._get_there(a, b, self.parting):
                self.dead = True
                return None
            return Failure(x.op, y.op, (a.met, b.met), apart[0] | apart[1], a.known)

    def _is_paid(self, step: Step, thread: Thread, passed: Passed) -> bool:
        """Whether an operation answers one that the other side has behind it, from before the ranks parted here."""
        if step.op is None or not isinstance(self.parting, Split):
            return False
        return any(
            not any(thread.known.get(what) is (not value) for what, value in way.known.items())
            for split in self.places.around(step.after)
            if split is not self.parting
            for earlier, ways in self.halves.get((id(split), *self.pair), ())
            if earlier != id(self.parting) and earlier not in passed
            for way in ways
        )

    def _elsewhere(self, step: Step) -> frozenset[Fault]:
        """The other places at which the ranks part, in whose arms an operation lies."""
        return frozenset() if step.op is None else self.places.others(step.after, self.parting, self.pair)

    def _get_there(self, a: Thread, b: Thread, split: Split) -> bool:
        """Whether both sides come to the place where they part, on the paths that make them differ."""
        if self.spent + self.replay.steps > _MAX_ALL:
            return True
        sides = (a, b) if a.rank == self.pair[0] else (b, a)
        return self.replay.both_reach(self.pair, split, (sides[0].known, sides[1].known))

    def _note(self, thread: Thread, op: Op, step: Step) -> None:
        thread.met.ops.append(op)
        cont = step.after
        while cont is not None:
            if cont.nodes is self.arms[0] or cont.nodes is self.arms[1]:
                thread.met.inside.append(op)
                return
            cont = cont.parent

    def _inside(self, cont: Cont | None) -> bool:
        while cont is not None:
            if cont.nodes is self.arms[0] or cont.nodes is self.arms[1]:
                return True
            cont = cont.parent
        return False

    def _advance(self, thread: Thread, other: Thread, shared: bool, passed: Passed) -> Step:
        """The next operation both ranks could share, decision, or end of one side.

        The other side may have to decide first: what was ``passed`` on the way counts when the step is taken.
        """
        machine = self.machine
        cont = thread.cont
        splits: set[int] = set()
        while True:
            self.steps += 1
            if self.steps > self.allowed or is_spent(self.steps):
                self.limited = True
                raise _GiveUp
            cont = machine.settle(cont)
            step = machine.step(cont, thread.rank, splits, thread.met.exits)
            for split in splits:
                passed.setdefault(split, []).append(thread.known)
                thread.met.guessed |= split in self.guesses
            splits.clear()
            if step.opaque is not None:
                mask = step.opaque.mask
                if not mask >> other.rank & 1 or self._inside(step.after):
                    if step.opaque.model:
                        thread.met.models = True
                    else:
                        thread.met.opaque[step.opaque.name] += 1
                cont = step.after
            elif step.op is not None:
                if self._concerns(step.op, other.rank, shared):
                    return step
                cont = step.after
            elif step.symbol is not None:
                given = thread.known.get(step.symbol)
                if given is None:
                    return step
                if self._inside(cont):
                    thread.met.asked.setdefault(step.symbol, given)
                if step.local and not shared:
                    passed.setdefault(step.local, []).append(thread.known)
                cont = step.after if given else step.other
            else:
                return step

    def _concerns(self, op: Op, other: int, shared: bool) -> bool:
        if op.members == 0:
            return True
        if op.members is None:
            return not shared
        both = 1 << self.pair[0] | 1 << self.pair[1]
        return op.members & both == both

    def _fork(
        self,
        step: Step,
        chooser: Thread,
        other: Thread,
        shared: bool,
        passed: Passed,
        depth: int,
        swapped: bool = False,
    ) -> Failure | None:
        assert step.symbol is not None
        for value in self.order:
            cont = step.after if value else step.other
            met = chooser.met.copy()
            if not step.round and (self._inside(step.after) or self._inside(step.other)):
                met.asked[step.symbol] = value
            known = chooser.known.add(step.symbol, value)
            picked = chooser.picked or bool(step.symbol.counters)
            mine = Thread(cont, chooser.rank, known, met, chooser.paired, picked)
            theirs_known = other.known
            if shared or not step.local:
                theirs_known = other.known.add(step.symbol, value)
            theirs = Thread(other.cont, other.rank, theirs_known, other.met.copy(), other.paired, other.picked)
            pair = (theirs, mine) if swapped else (mine, theirs)
            failure = self._lockstep(pair[0], pair[1], shared, passed, depth + 1)
            if failure is not None:
                return failure
        return None

    def _rounds(self, x: Step, y: Step, a: Thread, b: Thread, passed: Passed, depth: int) -> Failure | None:
        """Two loops of unknown length, one on each side: taken to make equally many rounds."""
        assert x.symbol is not None
        assert y.symbol is not None
        for value in (True, False):
            sides = []
            for step, thread in ((x, a), (y, b)):
                known = thread.known.add(x.symbol, value).add(y.symbol, value)
                cont = step.after if value else step.other
                sides.append(Thread(cont, thread.rank, known, thread.met.copy(), True, thread.picked))
            failure = self._lockstep(sides[0], sides[1], True, passed, depth + 1)
            if failure is not None:
                return failure
        return None

    def _may_meet(self, failure: Failure) -> bool:
        """Whether the side without the operation ran code that could not be followed: it may hold the counterpart."""
        a, b = failure.met
        if a.inside and not b.inside:
            return b.may_hold(a.inside[0], a, self.silent)
        if b.inside and not a.inside:
            return a.may_hold(b.inside[0], b, self.silent)
        left = leaver(self.arms, failure)
        if left is not None:
            return b.may_hold(failure.first, a, self.silent) if left else a.may_hold(failure.second, b, self.silent)
        return a.may_hold(failure.second, b, self.silent) or b.may_hold(failure.first, a, self.silent)

    def _report(
        self, guard: Guard, failure: Failure, first: tuple[int, ...], second: tuple[int, ...], kind: str = ""
    ) -> None:
        told = divergence_of(guard, failure, self.arms, (first, second), kind)
        if told is not None:
            told = replace(told, doubtful=self.limited)  # it may be the other half of what was not followed to its end
            self.found.setdefault((id(told.guard.node), id(told.anchor.node), told.guard.reason), told)


def _behind(node: Choice, known: Assumptions) -> Assumptions:
    """What holds behind a decision from which one arm always leaves."""
    left = [any(isinstance(one, Exit) for one in arm) for arm in (node.then, node.other)]
    return known.add(node.symbol, left[1]) if left[0] != left[1] and known.get(node.symbol) is None else known


def _note_passed(passed: Passed, more: Passed) -> None:
    for split, ways in more.items():
        passed.setdefault(split, []).extend(ways)


def _different(ways: Iterable[Assumptions]) -> list[Assumptions]:
    """The ways without those that take for granted what an earlier one does."""
    found: dict[frozenset[tuple[Symbol, bool]], Assumptions] = {}
    for way in ways:
        found.setdefault(frozenset(way.known.items()), way)
    return list(found.values())


def _fails_alike(node: Guarded) -> bool:
    """Whether a body fails on all ranks: it only waits, so that there is no group, or is one operation of all."""
    operations = [inner for inner in every(node.body) if isinstance(inner, Op)]
    if all(inner.kind in ("barrier", "init") for inner in operations):
        return True
    return len(operations) == 1 and not any(isinstance(inner, Loop) for inner in every(node.body))


def _without(way: Assumptions, passed: Assumptions) -> Iterator[Assumptions]:
    """What is left of a way when those that take ``passed`` for granted are taken out."""
    literals = [(what, value) for what, value in passed.known.items() if what.key[0] not in ("not", "and", "or")]
    if any(way.get(what) is (not value) for what, value in literals):
        yield way
        return
    for what, value in literals:
        if way.get(what) is None:
            yield way.add(what, not value)


def compare(trace: Nodes) -> tuple[list[Divergence], list[str]]:
    """The divergences of a trace, and the limits that were reached."""
    found, limits = _compare(trace)
    for supposed in taken_for_all(trace):
        known = {id(one.guard.node) for one in found}
        again = _compare(supposed.trace)[0]
        own = {(id(one.guard.node), one.guard.reason) for one in again}
        found = [
            one
            for one in found
            if id(one.guard.node) not in supposed.alone or (id(one.guard.node), one.guard.reason) in own
        ]
        found += [one for one in again if id(one.guard.node) in supposed.asking - known]
    return found, limits


def _compare(trace: Nodes) -> tuple[list[Divergence], list[str]]:
    short, cut = simplified(trace)
    comparison = Comparison(short)
    found = comparison.run()
    if told := comparison.own & comparison.blamed:
        comparison = Comparison(short, frozenset(told))
        again = comparison.run()
        missing = told - {(id(one.guard.node), one.guard.reason) for one in again}
        found = [*again, *(one for one in found if (id(one.guard.node), one.guard.reason) in missing)]
    limits = ["failures that all ranks share were left out of the comparison: it is long"] if cut else []
    return found, [*limits, *([_stopped()] if comparison.limited else [])]


def _stopped() -> str:
    return f"{SPENT}, comparison stopped" if is_spent() else "comparison stopped at its limit"

"""Runs two sides on from where they part, operation against operation, until they meet again or differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ddplint.analysis.compare.automaton import Automaton, Continuation, Step
from ddplint.analysis.compare.blame import BlameIndex, Fault
from ddplint.analysis.compare.effort import Effort
from ddplint.analysis.compare.pairing import Pair, Pairing, Passed, note_passed
from ddplint.analysis.compare.same_questions import Together, answered_alike
from ddplint.analysis.compare.sides import Failure, SideHistory, SideState, leaver, says_nothing
from ddplint.analysis.compare.witness import Witness
from ddplint.analysis.domain import limits
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.provenance import are_options_apart
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.trace.exits import EXITS
from ddplint.analysis.trace.nodes import Choice, Local, Node, Nodes, Op, Split, every, leaves_by
from ddplint.util.budget import is_spent


def _with(known: PathCondition, answers: Together) -> PathCondition:
    for mine, theirs, value in answers:
        known = known.add(mine, value).add(theirs, value)
    return known


class GiveUp(Exception):
    """Something on one side could not be followed: no verdict."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What all attempts of one comparison share."""

    machine: Automaton
    places: BlameIndex
    witness: Witness
    pairing: Pairing
    effort: Effort


class Attempt:
    """Both sides from one place at which they part.

    ``steps``: what it has cost; ``dead``: the two do not both come to the place where they part; ``repeated``: the ways
    that led to where the two had stood before.
    """

    def __init__(self, shared: Shared, parting: Node, arms: tuple[Nodes, Nodes], pair: Pair) -> None:
        self.parting = parting
        self.arms = arms
        self.pair = pair
        self.steps = 0
        self.dead = False
        self.repeated: list[PathCondition] = []
        self._shared = shared
        self._machine = shared.machine
        self._pairing = shared.pairing
        self._visits: dict[tuple[int, int], int] = {}
        self._synchronised = set[str]()
        self._over = False
        self._order = (True, False)
        self._usual = False
        self._left_out: Callable[[Op], bool] = says_nothing

    def run(
        self,
        first: Continuation,
        second: Continuation,
        ways: tuple[PathCondition, PathCondition],
        shared: bool,
        passed: Passed,
    ) -> Failure | None:
        """Both sides from where they part; once more the other way round, where a call may hide a counterpart.

        That it does not may be seen on a way on which the sides meet again. What else is found there means nothing.
        """
        found: list[Failure | None] = []
        for self._order in ((True, False), (False, True)):
            a = SideState(first, self.pair[0], ways[0], SideHistory())
            b = SideState(second, self.pair[1], ways[1], SideHistory())
            found.append(self._lockstep(a, b, shared, passed, 0))
            if found[0] is None or not self.may_meet(found[0]):
                break
        return found[0]

    def run_as_usual(
        self,
        conts: tuple[Continuation, Continuation],
        ways: tuple[PathCondition, PathCondition],
        shared: bool,
        left_out: Callable[[Op], bool] = says_nothing,
        otherwise: Failure | None = None,
    ) -> Failure | None:
        """The first difference again, for what is said of it: as most runs come to it; ``otherwise`` if it takes long.

        A rank that has left a round goes on with the next one like the others, as far as that is open, and forward
        passes that hand nothing out are left out, or the operations of which ``left_out`` holds.
        """
        limited, dead, self.steps = self._shared.effort.limited, self.dead, 0
        self._visits, self._usual, self._left_out = {}, True, left_out
        try:
            a, b = (SideState(*each, SideHistory()) for each in zip(conts, self.pair, ways))
            return self._lockstep(a, b, shared, {}, 0)
        except (GiveUp, RecursionError):
            return otherwise
        finally:
            self._usual, self.dead, self._shared.effort.limited = False, dead, limited

    def go_together(self, conts: tuple[Continuation, Continuation], known: PathCondition, failure: Failure) -> bool:
        """Whether two questions, one on each side's way, explain it: they meet where the answers go together.

        What each side sees in the very condition where they part is none of the kind.

        ``if "mask" in batch: broadcast(mask)`` on one rank, and ``if args.mask: broadcast(mask)`` on the others.
        """
        mine, theirs = (met.asked for met in failure.met)
        here = self._asked_here()
        pairs = [
            (a, b) for a in mine if a not in theirs for b in theirs if b not in mine and not (a in here and b in here)
        ]
        own = self._own_questions()
        pairs = [(a, b) for a, b in pairs if not are_options_apart(a, b) and (a in own) is (b in own)]
        for a, b in pairs[: limits.QUESTION_PAIRS]:
            ways = (known.add(a, mine[a]).add(b, not theirs[b]), known.add(a, not mine[a]).add(b, theirs[b]))
            if all(self.meet(conts, way, {}) for way in ways):
                return True
        alike = list(answered_alike(self.arms, mine, theirs))
        return bool(alike) and all(self.meet(conts, _with(known, one), {}) for one in alike)

    def meet(self, conts: tuple[Continuation, Continuation], way: PathCondition, passed: Passed) -> bool:
        """Whether both sides surely meet on a way: not because the program ends there on one of them."""
        self._visits, self._over = {}, False
        try:
            return self.run(*conts, (way, way), True, passed) is None and not self._over
        except (GiveUp, RecursionError):
            return False

    def may_meet(self, failure: Failure) -> bool:
        """Whether the side without the operation ran code that could not be followed: it may hold the counterpart."""
        (a, b), calls = failure.met, self._synchronised
        if a.inside and not b.inside:
            return b.may_hold(a.inside[0], a, calls)
        if b.inside and not a.inside:
            return a.may_hold(b.inside[0], b, calls)
        left = leaver(self.arms, failure)
        if left is not None:
            return b.may_hold(failure.first, a, calls) if left else a.may_hold(failure.second, b, calls)
        return a.may_hold(failure.second, b, calls) or b.may_hold(failure.first, a, calls)

    def _own_questions(self) -> set[Symbol]:
        """What ranks decide each for itself where the two part: none of it goes with what all of them have alike."""
        return {one.symbol for arm in self.arms for one in every(arm) if isinstance(one, Local)}

    def _asked_here(self) -> set[Symbol]:
        """What the condition is on each side at which the two part."""
        node = self.parting.guard.node if isinstance(self.parting, Split) else None
        inner = (one for arm in self.arms for one in every(arm) if isinstance(one, Choice))
        return {one.symbol for one in inner if one.guard is not None and one.guard.node is node}

    def _lockstep(self, a: SideState, b: SideState, shared: bool, passed: Passed, depth: int) -> Failure | None:
        machine = self._machine
        while True:
            self.steps += 1
            if self.steps > limits.ATTEMPT_STEPS or depth > limits.FORKS or is_spent(self.steps):
                self._shared.effort.limited = True
                raise GiveUp
            a.cont, b.cont = machine.settle(a.cont), machine.settle(b.cont)
            if a.cont is b.cont:
                if not (a.met.opaque and b.met.opaque):  # the program works where they meet: nothing is hidden there
                    self._synchronised |= {name for name in (*a.met.opaque, *b.met.opaque) if name}
                return None
            if depth:
                place = (id(a.cont), id(b.cont))
                self._visits[place] = self._visits.get(place, 0) + 1
                if self._visits[place] > limits.VISITS:
                    self.repeated += (a.known, b.known)
                    return None
            first: Passed = {}
            x = self._advance(a, b, shared, first)
            if x.symbol is not None and not x.iterates:
                note_passed(passed, first)
                return self._fork(x, a, b, shared, passed, depth)
            second: Passed = {}
            y = self._advance(b, a, shared, second)
            if x.symbol is not None or y.symbol is None:
                note_passed(passed, first)
            if x.symbol is None or (x.iterates and y.iterates and shared):
                note_passed(passed, second)
            if x.iterates and y.iterates and shared:
                return self._iterations(x, y, a, b, passed, depth)
            if x.symbol is not None:
                return self._fork(x, a, b, shared, passed, depth)
            if y.symbol is not None:
                return self._fork(y, b, a, shared, passed, depth, swapped=True)
            if "pruned" in (x.end, y.end) or "raise" in (x.end, y.end):
                self._over = True
                cut = [thread.known for thread, step in ((a, x), (b, y)) if step.end == "pruned"]
                if not self._usual:
                    self._pairing.cut(self.pair, cut)
                return None
            if x.op is None and y.op is None:
                return None
            if x.op is not None and y.op is not None and x.op.kind == y.op.kind and x.op.group == y.op.group:
                stray = self._stray((x, a), (y, b))
                if stray is not None and not stray[2].isdisjoint(self._pairing.reported):
                    stray[1].cont = stray[0].after
                    continue
                if stray is not None:
                    stray[1].met.shifted |= stray[2]
                a.cont, b.cont = x.after, y.after
                self._note(a, x.op, x)
                self._note(b, y.op, y)
                continue
            matched = next(((step, one) for step, one in ((x, a), (y, b)) if self._is_matched(step, one, passed)), None)
            if matched is not None:
                matched[1].cont = matched[0].after
                continue
            apart = [self._elsewhere(step) for step in (x, y)]
            sides = ((x, a, apart[0]), (y, b, apart[1]))
            elsewhere = next(
                ((step, one) for step, one, faults in sides if not faults.isdisjoint(self._pairing.reported)), None
            )
            if elsewhere is not None:
                elsewhere[1].cont = elsewhere[0].after
                continue
            if a.paired and b.paired and (a.picked or b.picked):
                return None  # which iterations communicate is taken to be agreed, as their number is
            if x.op is not None:
                self._note(a, x.op, x)
            if y.op is not None:
                self._note(b, y.op, y)
            if isinstance(self.parting, Split) and not self._get_there(a, b, self.parting):
                self.dead = True
                return None
            return Failure(x.op, y.op, (a.met, b.met), apart[0] | apart[1] | a.met.shifted | b.met.shifted, a.known)

    def _is_matched(self, step: Step, thread: SideState, passed: Passed) -> bool:
        """Whether an operation answers one that the other side has behind it, from before the ranks parted here."""
        if step.op is None or not isinstance(self.parting, Split):
            return False
        return any(
            not any(thread.known.get(what) is (not value) for what, value in way.known.items())
            for split in self._shared.places.around(step.after)
            if split is not self.parting
            for earlier, ways in self._pairing.halves_of(id(split), self.pair)
            if earlier != id(self.parting) and earlier not in passed
            for way in ways
        )

    def _stray(
        self, mine: tuple[Step, SideState], theirs: tuple[Step, SideState]
    ) -> tuple[Step, SideState, frozenset[Fault]] | None:
        """Of two operations that answer each other the one in the arm of another place, where the other is in none.

        All ranks reach the second: the first takes the place of its counterpart, and puts all that follows out of
        step. Gives it, its side, and whose fault that is.
        """
        for (step, side), (other, _) in ((mine, theirs), (theirs, mine)):
            faults = self._elsewhere(step)
            if faults and not self._shared.places.is_parted(other.after, self.pair):
                return step, side, faults
        return None

    def _elsewhere(self, step: Step) -> frozenset[Fault]:
        """The other places at which the ranks part, in whose arms an operation lies."""
        return frozenset() if step.op is None else self._shared.places.others(step.after, self.parting, self.pair)

    def _get_there(self, a: SideState, b: SideState, split: Split) -> bool:
        """Whether both sides come to the place where they part, on the paths that make them differ."""
        witness = self._shared.witness
        if witness.steps > limits.WITNESSES_STEPS or self._shared.effort.is_used_up():
            return True
        sides = (a, b) if a.rank == self.pair[0] else (b, a)
        return witness.both_reach(self.pair, split, (sides[0].known, sides[1].known))

    def _note(self, thread: SideState, op: Op, step: Step) -> None:
        thread.met.ops.append(op)
        cont = step.after
        while cont is not None:
            if cont.nodes is self.arms[0] or cont.nodes is self.arms[1]:
                thread.met.inside.append(op)
                return
            cont = cont.parent

    def _inside(self, cont: Continuation | None) -> bool:
        while cont is not None:
            if cont.nodes is self.arms[0] or cont.nodes is self.arms[1]:
                return True
            cont = cont.parent
        return False

    def _advance(self, thread: SideState, other: SideState, shared: bool, passed: Passed) -> Step:
        """The next operation both ranks could share, decision, or end of one side.

        The other side may have to decide first: what was ``passed`` on the way counts when the step is taken.
        """
        machine = self._machine
        cont = thread.cont
        splits: set[int] = set()
        while True:
            self.steps += 1
            if self.steps > limits.ATTEMPT_STEPS or is_spent(self.steps):
                self._shared.effort.limited = True
                raise GiveUp
            cont = machine.settle(cont)
            step = machine.step(cont, thread.rank, splits, thread.met.exits)
            for split in splits:
                passed.setdefault(split, []).append(thread.known)
                thread.met.guessed |= split in self._pairing.guesses
            splits.clear()
            if step.opaque is not None:
                mask = step.opaque.mask
                if not mask >> other.rank & 1 or self._inside(step.after):
                    if step.opaque.model:
                        thread.met.models = True
                    else:
                        thread.met.pass_opaque(step.opaque.name)
                cont = step.after
            elif step.op is not None:
                if self._concerns(step.op, other.rank, shared) and not (self._usual and self._left_out(step.op)):
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
        chooser: SideState,
        other: SideState,
        shared: bool,
        passed: Passed,
        depth: int,
        swapped: bool = False,
    ) -> Failure | None:
        assert step.symbol is not None
        for value in self._ways_on(step):
            cont = step.after if value else step.other
            met = chooser.met.copy()
            if not step.iterates and (self._inside(step.after) or self._inside(step.other)):
                met.asked[step.symbol] = value
            known = chooser.known.add(step.symbol, value)
            picked = chooser.picked or bool(step.symbol.counters)
            mine = SideState(cont, chooser.rank, known, met, chooser.paired, picked)
            theirs_known = other.known
            if shared or not step.local:
                theirs_known = other.known.add(step.symbol, value)
            theirs = SideState(other.cont, other.rank, theirs_known, other.met.copy(), other.paired, other.picked)
            pair = (theirs, mine) if swapped else (mine, theirs)
            failure = self._lockstep(pair[0], pair[1], shared, passed, depth + 1)
            if failure is not None:
                return failure
        return None

    def _ways_on(self, step: Step) -> tuple[bool, bool]:
        """In which order the two ways on are taken."""
        if not self._usual or step.iterates or step.after is None:
            return self._order
        return (False, True) if leaves_by(step.after.nodes, EXITS) else (True, False)

    def _iterations(self, x: Step, y: Step, a: SideState, b: SideState, passed: Passed, depth: int) -> Failure | None:
        """Two loops of unknown length, one on each side: taken to make equally many iterations."""
        assert x.symbol is not None
        assert y.symbol is not None
        for value in (True, False):
            sides = []
            for step, thread in ((x, a), (y, b)):
                known = thread.known.add(x.symbol, value).add(y.symbol, value)
                cont = step.after if value else step.other
                sides.append(SideState(cont, thread.rank, known, thread.met.copy(), True, thread.picked))
            failure = self._lockstep(sides[0], sides[1], True, passed, depth + 1)
            if failure is not None:
                return failure
        return None

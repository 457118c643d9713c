"""Truth, and the ways on from a value: ranks and paths that part at a condition, and come together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import libcst as cst

from ddplint.analysis.domain.compare import as_one
from ddplint.analysis.domain.join import first_choice, may_be_alike, project, shared_choice
from ddplint.analysis.domain.origins import Guard, Reason
from ddplint.analysis.domain.origins import GuardKind as Kind
from ddplint.analysis.domain.provenance import (
    are_tainted,
    counters_in,
    is_asked_of,
    is_drawn_name,
    is_empty_alike,
    is_guess,
    is_never_empty,
    is_output,
    is_own,
    is_passed_on,
    is_step_output,
    may_be_name,
)
from ddplint.analysis.domain.symbols import Symbol, measured, symbol, turn_of
from ddplint.analysis.domain.term import Not
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Const,
    Container,
    Either,
    External,
    Object,
    PerRank,
    Trail,
    Tuple,
    Unknown,
    Value,
    Varying,
    ranks_of,
)
from ddplint.analysis.interp import deciding, left_behind, uncalled
from ddplint.analysis.memory import filling, numbers, presence
from ddplint.analysis.memory.frames import Run
from ddplint.analysis.memory.journal import Arm
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares.turns import SharedOut, dealt
from ddplint.analysis.trace.exits import EXITS, RAISES, ExitKind
from ddplint.analysis.trace.nodes import Choice, Exit, Local, Nodes, Split, every, leaves_by, only_raises, takes

_LOOPS = (Kind.FOR, Kind.COMPREHENSION)


def truth(w: Interp, value: Value) -> bool | Symbol | None:
    """True or False where known, the symbol of a uniform unknown, None for anything that must be taken apart."""
    value = w.state.narrow(value)
    if isinstance(value, Const):
        return bool(value.value)
    if type(value) is Unknown:
        return is_never_empty(value.symbol) or measured(value.symbol) or value.symbol
    if isinstance(value, Tuple):
        return bool(value.items)
    if isinstance(value, Container):
        content = w.state.read((value.id, ""))
        if isinstance(content, Tuple):
            return bool(content.items)
        return w.truth_of_unknown(value)
    if isinstance(value, Varying) and value.reason is Reason.IDENTITY and is_empty_alike(value.symbol):
        return symbol("truth", value.symbol)
    if isinstance(value, Varying) and may_be_name(value):
        return True if is_drawn_name(value.symbol) else symbol("truth", value.symbol)
    if isinstance(value, Varying) and (
        is_step_output(value.symbol) or (value.source is not None and is_output(value.symbol))
    ):
        return symbol("truth", value.symbol)
    if isinstance(value, (PerRank, Either, Varying)):
        return None
    if isinstance(value, External) and (known := w.knowledge.constant(value.name)) is not None:
        return bool(known)
    if isinstance(value, (Bound, External)) and (what := w.plain_attribute(value)) is not None:
        return what
    return True


def plain_attribute(w: Interp, value: Bound | External) -> Symbol | None:
    """What stands for an attribute of an object (or module) that no table knows: it need not be a method."""
    if isinstance(value, External):
        package, _, name = value.name.rpartition(".")
        plain = package and w.knowledge.is_strange(value.name) and (name.islower() or name.isupper())
        return symbol("attr", External(package), name) if plain else None
    function, owner = value.function, value.receiver
    if not isinstance(function, External) or not isinstance(owner, Object):
        return None
    if w.knowledge.lookup(function.name) is not None:
        return None
    return symbol("attr", owner, function.name.rpartition(".")[2])


def truth_of_unknown(w: Interp, value: Value) -> Symbol:
    """A symbol for the truth of a value of unknown content."""
    return symbol("truth", value, w.owner(("truth", w.state.store.get((value.id, "")))))  # type: ignore[attr-defined]


def branch(
    w: Interp,
    value: Value,
    node: cst.CSTNode,
    statement: cst.CSTNode,
    kind: Kind,
    then: Run,
    other: Run,
    depth: int = 0,
) -> Value | None:
    """Walk ``then`` where ``value`` is true and ``other`` where it is not, each rank or path its own way."""
    state = w.state
    if not state.mask:
        return None
    value = state.narrow(value)
    if isinstance(value, PerRank) and not _is_known_to_differ(w, value):
        value = as_one(value)
    if type(value) is Container:
        value = filling.asked(w, value, node)
    value = numbers.whether_any(w, value)
    known = w.truth(value)
    if isinstance(known, Symbol):
        return _choose(w, known, node, statement, kind, then, other)
    if known is not None:
        if known and not depth:
            uncalled.note(w, value, node)
        return (then if known else other)()
    if isinstance(value, Either) and value.local is None:
        asked = deciding.asked(w, value, node)
        if asked is not None and isinstance(asked.shared, bool) and asked.own is None:
            return (then if asked.shared else other)()
        if asked is not None and deciding.is_worth_it(value, statement):
            return _all_at_once(w, asked, node, statement, kind, then, other)
        first, second = value.yes, value.no
        return w.fork_choice(
            value.symbol,
            lambda: w.guard(kind, node, statement, Reason.IDENTITY, None),
            lambda: w.branch(first, node, statement, kind, then, other, depth + 1),
            lambda: w.branch(second, node, statement, kind, then, other, depth + 1),
        )
    if isinstance(value, Either):
        yes, no = value.yes, value.no
        return _decide(
            w,
            value.local or Varying(Reason.DATA, value.symbol),
            node,
            statement,
            kind,
            lambda: w.branch(yes, node, statement, kind, then, other, depth + 1),
            lambda: w.branch(no, node, statement, kind, then, other, depth + 1),
        )
    if isinstance(value, Varying):
        return _decide(w, value, node, statement, kind, then, other)
    assert isinstance(value, PerRank)
    if kind is Kind.IF and (choice := first_choice(value)) is not None:
        return w.branch(choice, node, statement, kind, then, other, depth + 1)
    if kind is Kind.IF and (shared := shared_choice(value, [w.truth(one) for one in value.values])) is not None:
        return w.branch(shared, node, statement, kind, then, other, depth + 1)
    return _part(w, value, node, statement, kind, then, other, depth)


def _is_known_to_differ(w: Interp, value: PerRank) -> bool:
    """Whether what each rank has is known to be true on some and false on others, as an empty container is."""
    return {w.truth(one) for one in value.values if isinstance(one, Container)} == {True, False}


def _all_at_once(
    w: Interp,
    asked: deciding.Asked,
    node: cst.CSTNode,
    statement: cst.CSTNode,
    kind: Kind,
    then: Run,
    other: Run,
) -> Value | None:
    """Both arms, each once where all ranks see the same and once where each sees its own."""

    def together() -> Value | None:
        if isinstance(asked.shared, bool):
            return (then if asked.shared else other)()
        return _choose(w, asked.shared, node, statement, kind, then, other)

    own, parted = asked.own, asked.parted
    if own is None or parted is False:
        return together()
    apart = partial(_decide, w, own, node, statement, kind, then, other)
    if parted is True:
        return apart()
    return w.fork_choice(parted, lambda: w.guard(kind, node, statement, Reason.IDENTITY, None), apart, together)


def _choose(
    w: Interp,
    what: Symbol,
    node: cst.CSTNode,
    statement: cst.CSTNode,
    kind: Kind,
    then: Run,
    other: Run,
) -> Value | None:
    if isinstance(what, Not) and isinstance(what.inner, Symbol):
        return _choose(w, what.inner, node, statement, kind, other, then)
    return w.fork_choice(what, lambda: w.guard(kind, node, statement, Reason.IDENTITY, None), then, other)


def fork_choice(w: Interp, what: Symbol, guard: Callable[[], Guard], then: Run, other: Run) -> Value | None:
    known = w.state.path.get(what)
    if known is not None:
        return (then if known else other)()
    mask = w.state.mask
    with w.saved(guards=w.guards, locals=w.locals):
        first, left = w.state.arm(mask, (what, True), then), w.guards
    with w.saved(guards=w.guards, locals=w.locals):
        second, right = w.state.arm(mask, (what, False), other), w.guards
    behind = dict.fromkeys(one for arm, seen in ((first, left), (second, right)) if arm.fall for one in seen)
    # of ranks that left in an arm by what each saw; who left by its rank is no longer among the active ones
    w.guards += tuple(one for one in behind if one not in w.guards and one.reason is not Reason.IDENTITY)
    if first.nodes or second.nodes:
        w.state.trace.append(Choice(what, guard(), first.nodes, second.nodes))
    return w.state.join_choice(what, first, second, _over(w, first, second))


def _over(w: Interp, first: Arm, second: Arm) -> Arm | None:
    """The arm of two in which the program ends, if it goes on in the other."""
    over = [not arm.fall and only_raises(arm.nodes) and not _is_taken(w, arm.nodes) for arm in (first, second)]
    return (first if over[0] else second) if over[0] != over[1] else None


def _is_taken(w: Interp, nodes: Nodes) -> bool:
    """Whether some handler around may take what is raised in a list, so that the program goes on there."""
    handlers = [kinds for one in w.tries for kinds in one.handlers]
    ends = [node for node in every(nodes) if isinstance(node, Exit)] if handlers else []
    raised = [one.raised for one in ends if one.raised or one.kind is ExitKind.RAISE]
    return any(takes(kinds, one) for kinds in handlers for one in raised)


def _decide(
    w: Interp, value: Varying, node: cst.CSTNode, statement: cst.CSTNode, kind: Kind, then: Run, other: Run
) -> Value | None:
    """Each rank decides for itself."""
    guard = w.guard(kind, node, statement, value.reason, value.trail)
    if value.reason is Reason.IDENTITY and is_asked_of(value.symbol):
        guard = replace(guard, guess=True)
    mask, what = w.state.mask, value.symbol
    if isinstance(what, Not):
        assert isinstance(what.inner, Symbol)
        what, then, other = what.inner, other, then
    known = w.state.path.get(what)
    if known is not None:
        return (then if known else other)()
    decided, own = (*w.guards, guard), (*w.locals, value)
    with w.saved(guards=decided, locals=own), left_behind.decided(w, value):
        first = w.state.arm(mask, (what, True), then)
    with w.saved(guards=decided, locals=own), left_behind.decided(w, value):
        second = w.state.arm(mask, (what, False), other)
    if first.nodes or second.nodes:
        w.state.trace.append(Local(what, guard, first.nodes, second.nodes, mask))
    exited = bool(first.fall) != bool(second.fall)
    over = _over(w, first, second)
    if exited:
        w.guards = decided
    if exited and over is None:  # where others ended, all who are left agree
        w.locals = own
    if over is not None:
        w.presence.over[id(guard)] = guard
    return w.state.join_local(value, first, second, over)


def _part(
    w: Interp,
    value: PerRank,
    node: cst.CSTNode,
    statement: cst.CSTNode,
    kind: Kind,
    then: Run,
    other: Run,
    depth: int,
) -> Value | None:
    """Ranks diverge because of who they are."""
    mask = w.state.mask
    groups: dict[object, tuple[int, Value]] = {}
    for rank in ranks_of(mask):
        seen = project(value, rank)
        truth = w.truth(seen) if not isinstance(seen, (Either, Varying)) else None
        if isinstance(truth, Symbol):
            truth = w.state.path.get(truth)
        key: object = truth if isinstance(truth, bool) else seen
        old = groups.get(key)
        groups[key] = ((old[0] if old else 0) | 1 << rank, old[1] if old else seen)
    each = [seen for _, seen in groups.values()]
    if is_own(each):
        return w.branch(each[0], node, statement, kind, then, other, depth + 1)
    w.distributed = True
    w.record(SharedOut).counters |= counters_in(each)
    if kind is Kind.IF and w.loops and _is_turn(w, each):
        first = not w.loops[-1].turns & {id(node)}
        w.loops[-1].turns.add(id(node))
        return (then if first else other)()
    guard = w.guard(kind, node, statement, Reason.IDENTITY, value.trail)
    if are_tainted(each) or may_be_alike(each) or is_passed_on(list(groups.values()), partial(deciding.reads, w)):
        guard = replace(guard, guess=True)
    if len(groups) == 1:
        return w.branch(each[0], node, statement, kind, then, other, depth + 1)
    presence.tested(w, guard, groups[True][0] if True in groups else 0)
    arms = []
    turn = dealt(w, value)
    for group, seen in groups.values():
        with w.saved(guards=(*w.guards, guard)):
            run = _arm_of(w, turn or seen, node, statement, kind, then, other, depth)
            arms.append(w.state.arm(group, None, run))
    if any(arm.nodes for arm in arms):
        w.state.trace.append(Split(guard, [(arm.mask, arm.nodes) for arm in arms]))
    result = w.state.join_split(arms, value.trail, guard)
    seen_by = (seen for _, seen in groups.values())
    kinds = EXITS if w.tries else EXITS - RAISES  # where a rank raises the job ends
    unsure = any(
        isinstance(seen, Unknown) and leaves_by(arm.nodes, kinds) for seen, arm in zip(seen_by, arms, strict=True)
    )
    if w.state.mask and (unsure or w.state.mask != mask):
        w.guards = (*w.guards, replace(guard, guess=True) if unsure else guard)
    return result


def _held(w: Interp, value: Value) -> Value:
    """A value, or what nobody knows of it where it is a list or set of unknown content."""
    content = w.state.read((value.id, "")) if isinstance(value, Container) else None
    return content if isinstance(content, (Unknown, Varying)) else value


def _is_turn(w: Interp, seen: Sequence[Value]) -> bool:
    """Whether each rank waits for the iteration that bears its number, or names it: it has its turn in one of them."""
    numbers = [turn_of(value.symbol, w.loops[-1].counters) for value in seen if isinstance(value, Unknown)]
    return len(numbers) == len(seen) > 1 and numbers[0] is not None and len(set(numbers)) == 1


def _arm_of(
    w: Interp, seen: Value, node: cst.CSTNode, statement: cst.CSTNode, kind: Kind, then: Run, other: Run, depth: int
) -> Run:
    return lambda: w.branch(seen, node, statement, kind, then, other, depth + 1)


def split(w: Interp, by: Value, node: cst.CSTNode, kind: Kind, run: Callable[[Value], Value | None]) -> Value | None:
    """Run ``run`` once for each different thing the active ranks (or paths) see in ``by``."""
    by = w.state.narrow(by)
    if isinstance(by, Either) and by.local is not None:
        yes, no = by.yes, by.no
        return _decide(
            w,
            by.local,
            node,
            node,
            kind,
            lambda: w.split(yes, node, kind, run),
            lambda: w.split(no, node, kind, run),
        )
    if isinstance(by, Either):
        first, second = by.yes, by.no
        return w.fork_choice(
            by.symbol,
            lambda: w.guard(kind, node, node, Reason.IDENTITY, None),
            lambda: w.split(first, node, kind, run),
            lambda: w.split(second, node, kind, run),
        )
    if not isinstance(by, PerRank):
        return run(by)
    groups: dict[Value, int] = {}
    for rank in ranks_of(w.state.mask):
        seen = project(by, rank)
        groups[seen] = groups.get(seen, 0) | 1 << rank
    if len(groups) == 1:
        return w.split(next(iter(groups)), node, kind, run)
    guard = w.guard(kind, node, node, Reason.IDENTITY, by.trail)
    if kind in _LOOPS and (is_guess(each := list(map(partial(_held, w), groups))) or are_tainted(each)):
        guard = replace(guard, guess=True)
    arms = []
    for seen, group in groups.items():
        with w.saved(guards=(*w.guards, guard)):
            arms.append(w.state.arm(group, None, lambda seen=seen: w.split(seen, node, kind, run)))  # type: ignore[misc]
    if any(arm.nodes for arm in arms):
        w.state.trace.append(Split(guard, [(arm.mask, arm.nodes) for arm in arms]))
    return w.state.join_split(arms, by.trail, guard)


def on_ranks(w: Interp, ranks: Sequence[bool], trail: Trail | None, node: cst.CSTNode, kind: Kind, run: Run) -> Value:
    """Run something on some ranks only; the others get None."""
    chosen = PerRank(tuple(TRUE if yes else FALSE for yes in ranks), trail)
    return w.branch(chosen, node, node, kind, run, lambda: NONE) or NONE

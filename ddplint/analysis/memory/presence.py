"""Who reaches each statement of a walk, and whether the process group is up there (:mod:`project.presence`)."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, Reason
from ddplint.analysis.domain.path_condition import PathCondition
from ddplint.analysis.domain.term import Agreed, Called, Is, Result, Symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    FALSE,
    TRUE,
    UNBOUND,
    Function,
    Instance,
    ModuleValue,
    Object,
    Unknown,
    Value,
    Varying,
    Wrapped,
    by_rank_in,
    varying_in,
)
from ddplint.analysis.memory.journal import Location
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.trace.presence import FirstOnly, Presence, Seen
from ddplint.knowledge import Api, tables
from ddplint.project.presence import Against
from ddplint.source.ancestry import tree_of

UP: Location = (0, "group up")
"""Where it is kept that the process group is there."""
TOGETHER: Location = (0, "together")
"""Where it is kept that all ranks have met in this run of the entry: who gets there later is there with the others."""

_NONE, _APART, _LACKING = 0, int(Against.APART), int(Against.APART | Against.LACKING)
_STRANGE, _DECIDED, _NAMED = int(Against.STRANGE), int(Against.DECIDED), int(Against.NAMED)
_DRAWN, _UNSEEN = int(Against.DRAWN), int(Against.UNSEEN)


@dataclass(slots=True)
class Drawing(Record):
    """Whether a loader is drawing an element at this place of the walk, and whether one of its workers does so.

    A worker is a process of its own, without the group.
    """

    life = Life.SCOPED
    drawn: bool = False
    by_worker: bool = False


@dataclass(slots=True)
class Redefined(Record):
    """Functions (their keys) of which a decorator that nobody has seen made something else, perhaps for one rank."""

    life = Life.FILE
    keys: set[int] = field(default_factory=set)


def begin(w: Interp, *, program: bool, framework: bool) -> None:
    """An entry begins: the program itself, what a framework calls on every rank, or a function nobody calls."""
    w.presence.strange = not (program or framework)
    w.presence.without = set()
    w.state.hold(UP, TRUE if framework else FALSE)
    w.state.hold(TOGETHER, FALSE)


def tested(w: Interp, guard: Guard, passed: int) -> None:
    """All ranks asked who they are; ``passed``, as bits: those for which it held."""
    call = guard.node
    if passed == 1 and w.state.mask == w.everyone and not guard.guess and isinstance(call, cst.Call) and not call.args:
        helper = _named(w, call.func)
        if isinstance(helper, Function) and isinstance(helper.node, cst.FunctionDef):
            w.presence.first_only[call] = FirstOnly(guard.file, helper.module.file, helper.node)


def _named(w: Interp, node: cst.BaseExpression) -> Value | None:
    """What a name, or the attribute of a module, stands for; nothing is run to learn it."""
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
        if not isinstance(w.semantics.evaluate(w, node.value), ModuleValue):
            return None
    elif not isinstance(node, cst.Name):
        return None
    return w.semantics.evaluate(w, node)


def end(w: Interp, complete: bool) -> None:
    """An entry has ended: where the group was made later than it came by a statement, it was early there.

    A framework makes it where it is asked to start the ranks.
    """
    early = any(one.effect == Effect.INIT or (one.api and "starts_ranks" in one.api.also) for one in w.events)
    for statement in w.presence.without:
        w.presence.seen[statement].against |= int(Against.EARLY if early else Against.GROUPLESS)
    w.presence.cut |= not complete or w.tired


def made_before(w: Interp, group: bool) -> None:
    """The object whose method is the entry was made before; with it, the group."""
    w.state.hold(TOGETHER, FALSE)
    if group:
        w.state.hold(UP, TRUE)


def wanted(w: Interp, method: str) -> None:
    """The active ranks call a method of something unknown.

    That all of them do tells nothing before there is a group, nor where nobody is known to lead them there.
    """
    together = w.state.read(UP) == TRUE and not w.presence.strange
    if not w.quiet and (together or w.state.mask != EVERYONE):
        w.visits.ask(method, w.state.mask)


def note(w: Interp, statement: cst.CSTNode) -> None:
    """The active ranks reach a statement."""
    presence, frame = w.presence, w.frames[-1]
    against = _who(w, statement) | (_DRAWN if w.record(Drawing).drawn else 0)
    redefined = w.record(Redefined).keys
    if redefined and any(one.callee is not None and one.callee.key in redefined for one in w.frames):
        against |= _UNSEEN
    up = w.state.read(UP)
    if up in (None, FALSE, UNBOUND):
        presence.without.add(id(statement))
    seen = presence.seen.get(id(statement))
    if seen is not None:
        seen.against |= against
        return
    holder = frame.callee.node if frame.callee is not None else frame.module.file.module
    presence.seen[id(statement)] = Seen(against, frame.module.file, holder)
    presence.nodes.append(statement)


def named(w: Interp, node: cst.CSTNode, path: object) -> None:
    """A file is made whose name tells the ranks apart: nobody else writes what one of them leaves out."""
    apart = varying_in(path) if isinstance(path, Value) else None
    if not isinstance(path, Value) or not (by_rank_in(path) or (apart and apart.reason is Reason.IDENTITY)):
        return
    tree = tree_of(w.frame.module.file.module)
    seen = w.presence.seen.get(id(tree.statement(node))) if node in tree else None
    if seen is not None:
        seen.against |= _NAMED


def _who(w: Interp, statement: cst.CSTNode) -> int:
    mask = w.state.mask
    over = w.presence.over
    guards = [one for one in w.guards if id(one) not in over and one.statement is not statement]
    if mask != EVERYONE:
        return _APART if mask == 1 and all(one.reason is Reason.IDENTITY for one in guards) else _LACKING
    if guards:
        return _LACKING
    found = _STRANGE if w.presence.strange and w.state.read(TOGETHER) != TRUE else _NONE
    return found | _DECIDED if w.presence.handlers or _is_decided(w.presence, w.state.path) else found


def met(w: Interp, world: bool) -> None:
    """The active ranks communicate, in the group of all or another one: it is there."""
    w.state.write(UP, TRUE)
    if world and w.state.mask == EVERYONE and not w.guards:
        w.state.write(TOGETHER, TRUE)


def asked(w: Interp, row: Api) -> None:
    """The group is asked for something, which raises where there is none."""
    if row.kind in ("rank_source", "uniform_source") and row.name.startswith("torch.distributed.get_"):
        w.state.write(UP, TRUE)


def _is_decided(presence: Presence, path: PathCondition) -> bool:
    """Whether results of code out of sight have led to where ``path`` is assumed."""
    if path is not presence.path:
        presence.path, presence.decided = path, any(_is_of_results(presence, what) for what in path.known)
    return presence.decided


def _is_of_results(presence: Presence, what: Symbol) -> bool:
    known = presence.decisions.get(what)
    if known is None:
        known = presence.decisions[what] = hangs_on_results(what)
    return known


_CALLS = (Called, Result)
"""What calls give that were not followed."""


def hangs_on_results(what: Symbol, depth: int = limits.ASKED_DEPTH) -> bool:
    """Whether a condition asks for what code out of sight has worked out of a model or its data.

    The walk takes such a result to be the same on all ranks, since nothing says otherwise. It need not be: each rank
    may have evaluated its own share. Nothing is reported for that, but nothing may be built on it either. Whether there
    is a result at all is no such question.
    What ranks have agreed on is the same on all of them, whatever it was made of.
    """
    made = what.whole
    if isinstance(made, (Agreed, Is)) or not depth:
        return False
    if isinstance(made, _CALLS) and any(_is_data(part, depth - 1) for part in made.parts):
        return True
    return any(hangs_on_results(part, depth - 1) for part in map(_symbol_of, made.parts) if part is not None)


def _symbol_of(part: object) -> Symbol | None:
    part = part.symbol if isinstance(part, Unknown) else part
    return part if isinstance(part, Symbol) else None


def _is_data(part: object, depth: int) -> bool:
    """Whether a part of a name is a model, or data of a rank, or made of them."""
    if isinstance(part, Object):
        return tables.begins("models_and_data", part.name)
    if isinstance(part, (Wrapped, Varying, Instance)):
        return True
    inner = _symbol_of(part)
    if inner is None or not depth or isinstance(inner.whole, Agreed):
        return False
    return any(_is_data(one, depth - 1) for one in inner.whole.parts)

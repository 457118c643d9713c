"""Checks that one rank makes of what all ranks were handed."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard
from ddplint.analysis.trace.events import Event, Walk
from ddplint.fixing.code.depends import reads
from ddplint.fixing.code.shape import only_asks
from ddplint.fixing.code.site import Site
from ddplint.fixing.recipes.ranks import depends_on_rank
from ddplint.source.ancestry import descend
from ddplint.source.calls import calls_in, last_part
from ddplint.source.tree import dotted

_COMPUTES = frozenset(
    "all any cpu enumerate float int item len list max mean min range set sorted str sum tolist tuple zip".split()
)
_TO_ONE = frozenset({"gather", "gather_object", "reduce", "send", "recv"})
"""Operations of torch's own that only one rank gets something of."""


def checks_what_all_have(walk: Walk, event: Event, guard: Guard) -> bool:
    """Whether a lone ``raise`` hangs on what an operation of all ranks gave to each of them.

    Parameters: ``event``, the ``raise``; ``guard``, the test for the rank around it, in the same function.
    """
    holder = guard.statement
    site = Site(event.file, event.node)
    if not isinstance(holder, cst.If) or not site.tree.contains(holder, event.node):
        return False
    test = _test(site, holder)
    if test is None:
        return False
    names = _sources(test, holder)
    return names is not None and bool(names & _handed_out(walk, event))


def _test(site: Site, holder: cst.If) -> cst.BaseExpression | None:
    """The condition right above the ``raise``; of the guard itself, the part that is not about ranks."""
    for below, step in site.tree.upward(site.node):
        if isinstance(step, cst.If):
            if below is not step.body:
                return None
            return step.test if step is not holder else _beside_the_rank(site, step.test)
        if not isinstance(step, (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            return None
    return None


def _beside_the_rank(site: Site, test: cst.BaseExpression) -> cst.BaseExpression | None:
    if not isinstance(test, cst.BooleanOperation) or not isinstance(test.operator, cst.And):
        return None
    apart = [part for part in (test.left, test.right) if not depends_on_rank(site.moved(test), part)]
    return apart[0] if len(apart) == 1 else None


def _sources(test: cst.BaseExpression, holder: cst.If) -> set[str] | None:
    """The names that a condition is worked out from, through what the guard assigns; ``None`` where it does more."""
    if not _only_computes(test):
        return None
    names = reads(test)
    for step in descend(holder.body, into_functions=False):
        if isinstance(step, cst.Assign) and any(dotted(one.target) in names for one in step.targets):
            if not _only_computes(step.value):
                return None
            names |= reads(step.value)
    return names


def _only_computes(value: cst.BaseExpression) -> bool:
    return all(only_asks(call) or last_part(call.func) in _COMPUTES for call in calls_in(value))


def _handed_out(walk: Walk, event: Event) -> set[str]:
    """What operations of all ranks that came before have filled or given, in the same function."""
    found: set[str] = set()
    for other in walk.events:
        if other.order >= event.order or other.effect != Effect.COLLECTIVE or not other.by_all:
            continue
        torchs = other.api is not None and other.api.framework == "torch"
        if (torchs and other.name.rpartition(".")[2] in _TO_ONE) or other.call is None:
            continue
        if other.file is not event.file or other.stack[-1].function != event.stack[-1].function:
            continue
        for arg in other.call.args:
            found |= reads(arg.value)
        found |= _assigned(other)
    return found


def _assigned(event: Event) -> set[str]:
    """The names that take what a call gives."""
    for step in event.file.ancestors(event.node):
        if isinstance(step, cst.Assign):
            return {name for one in step.targets if (name := dotted(one.target))}
        if isinstance(step, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            break
    return set()

"""Process groups that only their members make: ``if rank in ranks: group = new_group(ranks)``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule import Const, Event
from ddplint_rules.common.groups import argument, last_name, name_words

_FUNCTIONS = (cst.FunctionDef, cst.Lambda, cst.ClassDef)


def membership_around(event: Event) -> cst.Comparison | None:
    """The question whether the rank is one of the members, by which others do not come to the call that makes a group.

    Unlike a divergence this needs no list that is known: in a loop over all groups every rank comes by once.
    """
    call = event.node
    if last_name(event.name) != "new_group" or not isinstance(call, cst.Call):
        return None
    local = event.kwargs.get("use_local_synchronization")
    members = argument(call, "ranks", 0)
    if not isinstance(members, (cst.Name, cst.Attribute)) or not (local is None or local == Const(False)):
        return None
    inner: cst.CSTNode = call
    for step in event.file.ancestors(call):
        if isinstance(step, _FUNCTIONS):
            return None
        if isinstance(step, (cst.If, cst.IfExp)) and inner is step.body and not _makes_another(step):
            asked = next((one for one in _parts(step.test) if _asks(one, members)), None)
            if asked is not None:
                return asked
        inner = step
    return None


def _makes_another(step: cst.If | cst.IfExp) -> bool:
    """Whether the others make a group, too."""
    return step.orelse is not None and "new_group" in cst.Module([]).code_for_node(step.orelse)


def _parts(test: cst.BaseExpression) -> Iterator[cst.Comparison]:
    """What all must hold."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _parts(test.left)
        yield from _parts(test.right)
    elif isinstance(test, cst.Comparison):
        yield test


def _asks(test: cst.Comparison, members: cst.BaseExpression) -> bool:
    """Whether it is asked of the rank if it is one of the members."""
    [*_, last] = test.comparisons
    within = len(test.comparisons) == 1 and isinstance(last.operator, cst.In) and last.comparator.deep_equals(members)
    return within and "rank" in name_words(test.left)

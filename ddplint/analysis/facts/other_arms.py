"""The other arm of a test: what a run that does not come to a place does instead."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.facts.files.existence import ends_in_raise
from ddplint.analysis.trace.events import Frame
from ddplint.fixing.code.depends import leaving
from ddplint.fixing.code.site import Site
from ddplint.knowledge import tables
from ddplint.source.ancestry import nodes_of
from ddplint.source.calls import names_called
from ddplint.source.tree import dotted


def other_arm(frame: Frame, test: cst.CSTNode) -> cst.CSTNode | None:
    """The first statement of the ``else`` of a test, where both arms give a value to one variable, and both go on.

    None where the ``else`` calls anything that may do what the first arm does.
    """
    tree = Site(frame.file, frame.node).tree
    choice = tree.parent(test) if test in tree else None
    rest = choice.orelse if isinstance(choice, cst.If) and choice.test is test else None
    if not isinstance(choice, cst.If) or not isinstance(rest, cst.Else):
        return None
    if leaving([choice.body, rest.body]) or ends_in_raise(rest.body):
        return None
    calls = (Site(frame.file, one).qualified(one.func) or dotted(one.func) for one in nodes_of(rest, cst.Call))
    alike = not _variables(choice.body).isdisjoint(_variables(rest.body))
    return rest.body.body[0] if alike and all(name in tables.names("harmless") for name in calls) else None


def calls_in_other_arm(frame: Frame, test: cst.CSTNode) -> tuple[str, ...]:
    """The last names of what is called in the arm of a test in which a place does not stand, where there are two."""
    tree = Site(frame.file, frame.node).tree
    choice = tree.parent(test) if test in tree else None
    if not isinstance(choice, cst.If) or choice.orelse is None:
        return ()
    others = [arm for arm in (choice.body, choice.orelse) if not tree.contains(arm, frame.node)]
    return tuple(names_called(others[0])) if len(others) == 1 else ()


def _variables(body: cst.BaseSuite) -> set[str]:
    return {name for one in nodes_of(body, cst.AssignTarget) if (name := dotted(one.target)) is not None}

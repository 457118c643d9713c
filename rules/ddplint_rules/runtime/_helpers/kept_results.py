"""Work of some ranks whose result stays with them: the others go on with what they had, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ddplint.rule import Event, Frame, Reason, Walk
from ddplint.rule.code import Tree, descend, nodes_of, tree_of
from ddplint.rule.facts import kept


def stays_there(walk: Walk, work: Event, place: Frame, wait: Event) -> bool:
    """Whether what the work makes is bound to a variable that all ranks then read, each its own.

    Parameters: ``place``, the step to the work in the function that also leads to the ``wait`` of the others. What is
    handed to a collective that shares it, or made anew by all, does not stay.
    """
    tree = tree_of(place.file.module)
    around = _guarding(work, place, tree)
    if around is None:
        return False
    names = _made_of(place.node, around, tree)
    if not names or any(name in names for name in _bound(descend(around.orelse) if around.orelse else ())):
        return False
    shares = wait.api is not None and (wait.api.uniform or "sanitizer" in wait.api.also)
    sharing = [step.node for step in wait.stack if shares and step.file is place.file]
    function = tree.function(around) or tree.module
    reads = (_first_read(name, around, function, tree) for name in names)
    return any(
        read is not None
        and not any(tree.contains(step, read) for step in sharing)
        and not any(id(step) in _parting(walk) for step in tree.ancestors(read))
        for read in reads
    )


@kept
def _parting(walk: Walk) -> frozenset[int]:
    """The statements that let in some ranks by who they are: the others do not reach what is read there."""
    guards = (guard for event in walk.events for guard in event.guards)
    return frozenset(id(guard.statement) for guard in guards if guard.reason is Reason.IDENTITY)


def _guarding(work: Event, place: Frame, tree: Tree) -> cst.If | None:
    """The statement around the work that lets in some ranks by who they are."""
    for guard in reversed(work.guards):
        statement = guard.statement
        if guard.reason is not Reason.IDENTITY or guard.file is not place.file or not isinstance(statement, cst.If):
            continue
        if place.node in tree and tree.contains(statement.body, place.node):
            return statement
    return None


def _made_of(node: cst.CSTNode, around: cst.If, tree: Tree) -> frozenset[str]:
    """The variables that hold what a call gives, or what is made of that, at the end of the block."""
    names: set[str] = set()
    for step in descend(around.body, into_functions=False):
        if not isinstance(step, (cst.Assign, cst.AnnAssign)) or step.value is None:
            continue
        held = tree.contains(step.value, node) or any(name in names for name in _read(step.value))
        names.update(_bound([step]) if held else ())
    return frozenset(names)


def _bound(nodes: Iterable[cst.CSTNode]) -> Iterator[str]:
    """The names that assignments bind."""
    for node in nodes:
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else []
        if isinstance(node, cst.AnnAssign):
            targets = [node.target]
        yield from (target.value for target in targets if isinstance(target, cst.Name))


def _read(value: cst.CSTNode) -> Iterator[str]:
    return (node.value for node in nodes_of(value, cst.Name))


def _first_read(name: str, around: cst.If, function: cst.CSTNode, tree: Tree) -> cst.Name | None:
    """The first thing behind the block that names a variable, where that reads it."""
    for node in descend(function, into_functions=False):
        if not isinstance(node, cst.Name) or node.value != name or tree.order(node) < tree.order(around):
            continue
        if not tree.contains(around, node) and not _is_label(node, tree):
            return None if _is_target(node, tree) else node
    return None


def _is_label(node: cst.Name, tree: Tree) -> bool:
    """Whether a name is that of an attribute or of a keyword, and no variable."""
    holder = tree.parent(node)
    return (isinstance(holder, cst.Attribute) and holder.attr is node) or (
        isinstance(holder, cst.Arg) and holder.keyword is node
    )


def _is_target(node: cst.Name, tree: Tree) -> bool:
    """Whether an assignment binds a name whose value does not read it."""
    holder = tree.parent(node)
    if not isinstance(holder, cst.AssignTarget):
        return False
    whole = tree.parent(holder)
    return isinstance(whole, cst.Assign) and node.value not in _read(whole.value)

"""What a fix needs in every context: that all ranks reach the place where it puts a collective, with the group up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Remove, Replace, ReplaceStatements
from ddplint.findings.model import Finding, Safety
from ddplint.fixing.code.scopes import own_nodes
from ddplint.fixing.code.site import Site
from ddplint.fixing.recipes.certain import group_surely_exists
from ddplint.project.presence import COLLECTIVE, Against, Demand, demand, reason
from ddplint.source.tree import children, code_of

if TYPE_CHECKING:
    from ddplint.analysis.trace.presence import Presence


_COLLECTIVES = ("collective", "save_all_ranks")
_OWN = ("barrier", "wait_for_everyone")


def against(site: Site, presence: Presence | None) -> int:
    """What speaks against all ranks reaching the statement of a site, in the contexts of these walks."""
    if presence is None:
        return int(Against.UNSEEN)
    found = presence.against(site.statement)
    return found & ~int(Against.GROUPLESS) if group_surely_exists(site) else found


def proven(finding: Finding, presence: Presence | None) -> Finding:
    """The finding with what its fix demands; without the fix where these walks speak against it."""
    fix = finding.fix
    if fix is None:
        return finding
    if fix.demands:
        return finding
    demands: list[Demand] = []
    for site in _meetings(fix.edits):
        wanted = demand(site.file, site.statement, COLLECTIVE)
        found = against(site, presence)
        if wanted is None or found & COLLECTIVE:
            return without_fix(finding, found & COLLECTIVE or int(Against.UNSEEN))
        if found & Against.GROUPLESS and not _asks_itself(fix.edits):
            fix = replace(fix, safety=Safety.UNSAFE)
        demands.append(wanted)
    return replace(finding, fix=replace(fix, demands=tuple(dict.fromkeys(demands))))


def without_fix(finding: Finding, broken: int) -> Finding:
    """The finding with the reason why it has no fix."""
    said = f"{finding.fix.title[:1].lower()}{finding.fix.title[1:]}" if finding.fix is not None else ""
    advice = finding.no_fix or said
    return replace(finding, fix=None, no_fix=f"{advice}; not done automatically: {reason(broken)}")


def _meetings(edits: Sequence[Edit]) -> Iterator[Site]:
    """The places where edits put a collective that was not among the code they replace."""
    helpers = frozenset(_new_helpers(edits))
    for edit in edits:
        if isinstance(edit, (AddImport, Remove)):
            continue
        node = edit.node if isinstance(edit, Replace) else edit.statement
        site = Site(edit.file, node)
        before = Counter(_collectives(site, [node], helpers)) if _replaces(edit) else Counter[str]()
        if Counter(_collectives(site, _new_code(edit), helpers)) - before:
            yield site


def _new_code(edit: Edit) -> Sequence[cst.CSTNode]:
    if isinstance(edit, (AddImport, Remove)):
        return ()
    return [edit.new_node] if isinstance(edit, Replace) else edit.new_statements


def _replaces(edit: Edit) -> bool:
    return isinstance(edit, (Replace, ReplaceStatements))


def _new_helpers(edits: Iterable[Edit]) -> Iterator[str]:
    """The functions that edits define in which ranks meet."""
    for edit in edits:
        for new in _new_code(edit):
            if isinstance(new, cst.FunctionDef) and isinstance(edit, (InsertBefore, InsertAfter)):
                site = Site(edit.file, edit.statement)
                if any(_collectives(site, [new.body], frozenset())):
                    yield new.name.value


def _asks_itself(edits: Sequence[Edit]) -> bool:
    """Whether ranks meet in new functions only, each of which asks first whether there is a group."""
    new = [(edit, node) for edit in edits for node in _new_code(edit)]
    functions = [node for _, node in new if isinstance(node, cst.FunctionDef)]
    if not functions or not all("is_initialized()" in code_of(node) for node in functions):
        return False
    names = frozenset(node.name.value for node in functions)
    rest = [(edit, node) for edit, node in new if not isinstance(node, cst.FunctionDef)]
    return all(called in names for edit, node in rest for called in _collectives(_site_of(edit), [node], names))


def _site_of(edit: Edit) -> Site:
    assert not isinstance(edit, (AddImport, Remove))
    return Site(edit.file, edit.node if isinstance(edit, Replace) else edit.statement)


def _collectives(site: Site, nodes: Iterable[cst.CSTNode], helpers: frozenset[str]) -> Iterator[str]:
    """The collectives called in some code, by their names."""
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Call) and _communicates(site, node, helpers):
            yield code_of(node.func)
        if not isinstance(node, (cst.FunctionDef, cst.Lambda)):
            stack += children(node)


def _communicates(site: Site, call: cst.Call, helpers: frozenset[str]) -> bool:
    row = site.known(call.func)
    if row is not None and row.kind in _COLLECTIVES:
        return True
    last = call.func.attr.value if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")
    if last in _OWN or last in helpers:
        return True
    helper = site.local_function(call.func)
    if helper is None:
        return False
    inner = site.moved(helper.body)
    calls = (node for node in own_nodes(helper) if isinstance(node, cst.Call))
    return any((row := inner.known(one.func)) is not None and row.kind in _COLLECTIVES for one in calls)

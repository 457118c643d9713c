"""A function that a rewrite calls, put into the module once."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.findings.edits import InsertBefore
from ddplint.fixing.code import shape
from ddplint.fixing.code.heading import head_of, imports_in
from ddplint.fixing.code.layout import missing_blanks
from ddplint.fixing.code.site import Built, Site
from ddplint.source.ancestry import Statement


def helper(site: Site, text: str, needs: Sequence[str]) -> Built:
    """The name of a function of the module for use at ``site``, and the edits that add it where it is not there yet.

    Parameters: ``text``, its definition, in which ``$NAME`` stands for how the module says that one of the qualified
    names ``needs`` whose last part is ``NAME``. It goes above the first definition, or below the imports where the
    code that uses it stands above all definitions.
    """
    anchor = _anchor(site)
    named = {need: site.moved(anchor).name(need) for need in needs}
    for need in sorted(named, key=len, reverse=True):
        text = text.replace(f"${need.rpartition('.')[2]}", site.module.code_for_node(named[need].expression))
    wanted = cst.parse_statement(text)
    assert isinstance(wanted, cst.FunctionDef)
    for statement in site.module.body:
        if isinstance(statement, cst.FunctionDef) and _same(statement, wanted):
            return Built(cst.Name(statement.name.value))
    name = unused(site, wanted.name.value)
    edits = tuple(edit for built in named.values() for edit in built.edits)
    blank, _ = shape.split_leading(shape.leading(anchor))
    new = wanted.with_changes(name=cst.Name(name), leading_lines=missing_blanks(blank))
    return Built(cst.Name(name), (InsertBefore(site.file, anchor, (new,)), *edits))


def unused(site: Site, wish: str) -> str:
    """``wish``, with a number behind it where a scope around ``site`` has that name already."""
    name, count = wish, 1
    while any(name in site.scopes.bindings(scope) for scope in site.scopes.visible_scopes(site.node)):
        count += 1
        name = f"{wish}_{count}"
    return name


def _anchor(site: Site) -> Statement:
    """The statement of the module above which the function goes."""
    own = next(one for one in site.module.body if one in site.tree and site.tree.contains(one, site.node))
    imports = [one for one in head_of(site.tree, site.node) if imports_in(one)]
    last = site.module.body.index(imports[-1]) if imports else -1
    below: list[Statement] = [*site.module.body[last + 1 : site.module.body.index(own)], own]
    return next((one for one in below if isinstance(one, (cst.FunctionDef, cst.ClassDef))), below[0])


def _same(statement: cst.FunctionDef, wanted: cst.FunctionDef) -> bool:
    """Whether two functions are the same but for their names."""
    return cst.Module([_bare(statement)]).code.split() == cst.Module([_bare(wanted)]).code.split()


def _bare(function: cst.FunctionDef) -> cst.FunctionDef:
    return function.with_changes(name=cst.Name("_"), leading_lines=[])

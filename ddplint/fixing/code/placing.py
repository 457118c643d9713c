"""Where a file takes a new import."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Replace, ReplaceStatements
from ddplint.fixing.code import shape
from ddplint.fixing.code.heading import from_imports, head_of, imports_in, is_present, module_of
from ddplint.fixing.code.import_room import has_room, widened
from ddplint.source.ancestry import tree_of


def placed_imports(module: cst.Module, adds: Sequence[AddImport]) -> Iterator[Edit]:
    """The edits that add the imports at the head of the module.

    A name joins an existing ``from`` import of its module; a new line goes next to imports of the
    same package, else to the end of its section (standard library first), below docstring and
    ``__future__``, above the first function or class, and above the code that needs it.
    """
    tree = tree_of(module)
    joined: dict[int, tuple[cst.ImportFrom, list[AddImport]]] = {}
    placed: list[InsertAfter | InsertBefore | ReplaceStatements] = []
    for add in _wanted(adds):
        head = head_of(tree, add.used_at)
        if is_present(head, add):
            continue
        host = next(iter(from_imports(head, add.module)), None) if add.name else None
        if host is not None and has_room(host, add):
            joined.setdefault(id(host), (host, []))[1].append(add)
        else:
            placed.append(_placed(add, head, module))
    yield from _merged(placed)
    for host, joining in joined.values():
        yield Replace(joining[0].file, host, widened(host, joining))


def _merged(edits: Sequence[InsertAfter | InsertBefore | ReplaceStatements]) -> Iterator[Edit]:
    """Lines for the same place as one edit, in the order of imports."""
    places: dict[tuple[type[Edit], int], list[InsertAfter | InsertBefore | ReplaceStatements]] = {}
    for edit in edits:
        places.setdefault((type(edit), id(edit.statement)), []).append(edit)
    for together in places.values():
        first = together[0]
        lines = sorted((edit.new_statements[0] for edit in together), key=lambda line: _key(imports_in(line)[0]))
        above = shape.leading(first.new_statements[0])
        lines = [shape.with_leading(line, [] if place else above) for place, line in enumerate(lines)]
        yield replace(first, new_statements=(*lines, *first.new_statements[1:]))


def _wanted(adds: Sequence[AddImport]) -> list[AddImport]:
    """Each import once, with the first place that needs it."""
    unique: dict[tuple[str, str, str], AddImport] = {}
    for add in adds:
        unique.setdefault((add.module, add.name, add.alias), add)
    return list(unique.values())


# A line of its own


def _placed(
    add: AddImport, head: Sequence[cst.BaseStatement], module: cst.Module
) -> InsertAfter | InsertBefore | ReplaceStatements:
    line = _line(add)
    known = [statement for statement in head if imports_in(statement) and _package(statement) != "__future__"]
    package = add.module.partition(".")[0]
    group = [statement for statement in known if _package(statement) == package]
    standard = package in sys.stdlib_module_names
    if not group and standard:
        group = [statement for statement in known if _package(statement) in sys.stdlib_module_names]
    if group:
        return _in_group(add, line, group)
    if known and standard:
        return _on_top(add, line, known[0])
    if known:
        absolute = [statement for statement in known if _package(statement)]
        return InsertAfter(add.file, (absolute or known)[-1], (line,))
    preamble = [statement for statement in head if _is_preamble(statement, module)]
    if preamble:
        return InsertAfter(add.file, preamble[-1], (line.with_changes(leading_lines=[_BLANK]),))
    return _on_top(add, line, module.body[0])


_BLANK = cst.EmptyLine(indent=False)


def _on_top(add: AddImport, line: cst.SimpleStatementLine, first: cst.CSTNode) -> ReplaceStatements:
    """Above ``first``, with a blank line between."""
    assert isinstance(first, cst.BaseStatement)
    blank, close = shape.split_leading(shape.leading(first))
    below = shape.with_leading(first, [*(blank or [_BLANK]), *close])
    return ReplaceStatements(add.file, first, (line.with_changes(leading_lines=blank), below))


def _in_group(
    add: AddImport, line: cst.SimpleStatementLine, group: Sequence[cst.BaseStatement]
) -> InsertAfter | InsertBefore:
    keys = [_key(imports_in(statement)[0]) for statement in group]
    key = _key(imports_in(line)[0])
    if keys != sorted(keys):
        return InsertAfter(add.file, group[-1], (line,))
    above = [statement for statement, other in zip(group, keys, strict=True) if other <= key]
    if above:
        return InsertAfter(add.file, above[-1], (line,))
    return InsertBefore(add.file, group[0], (line,))


def _key(found: cst.Import | cst.ImportFrom) -> tuple[bool, str]:
    return isinstance(found, cst.ImportFrom), module_of(found).lower()


def _package(statement: cst.CSTNode) -> str:
    return module_of(imports_in(statement)[0]).partition(".")[0]


def _is_preamble(statement: cst.BaseStatement, module: cst.Module) -> bool:
    if imports_in(statement):
        return True
    if statement is not module.body[0] or not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))


def _line(add: AddImport) -> cst.SimpleStatementLine:
    asname = cst.AsName(cst.Name(add.alias)) if add.alias else None
    if add.name:
        alias = cst.ImportAlias(cst.Name(add.name), asname)
        return cst.SimpleStatementLine([cst.ImportFrom(shape.expression(add.module), [alias])])
    return cst.SimpleStatementLine([cst.Import([cst.ImportAlias(shape.expression(add.module), asname)])])

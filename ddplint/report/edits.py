"""Edits of a fix as records of the JSON format: what is done, where, and the new code."""

from __future__ import annotations

from typing import Any

from ddplint.findings.detached import SettledFix
from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Remove, Replace
from ddplint.findings.model import Fix, Place
from ddplint.findings.places import place_record
from ddplint.source.file import SourceFile


def edit_records(fix: Fix) -> list[dict[str, Any]]:
    """The edits of a fix."""
    if isinstance(fix, SettledFix):
        return list(fix.records)
    return [edit_record(edit) for edit in fix.edits]


def edit_record(edit: Edit) -> dict[str, Any]:
    """One edit. ``place`` is the code it names, or the point where new code is inserted; imports have none."""
    if isinstance(edit, AddImport):
        return {"kind": "add-import", "path": edit.file.path, "place": None, "text": _import(edit)}
    node = edit.node if isinstance(edit, Replace) else edit.statement
    return {
        "kind": _kind(edit),
        "path": edit.file.path,
        "place": _point(edit, place_record(Place(edit.file, node))),
        "text": _new_code(edit, edit.file),
    }


def _point(edit: Edit, place: dict[str, Any]) -> dict[str, Any]:
    """Where new code is inserted: the end of the statement it follows, or the start of the one it precedes."""
    if isinstance(edit, InsertAfter):
        return {**place, "line": place["end_line"], "column": place["end_column"]}
    if isinstance(edit, InsertBefore):
        return {**place, "end_line": place["line"], "end_column": place["column"]}
    return place


def _kind(edit: Edit) -> str:
    if isinstance(edit, InsertBefore):
        return "insert-before"
    if isinstance(edit, InsertAfter):
        return "insert-after"
    return "remove" if isinstance(edit, Remove) else "replace"


def _new_code(edit: Edit, file: SourceFile) -> str:
    if isinstance(edit, Replace):
        return file.module.code_for_node(edit.new_node)
    if isinstance(edit, (AddImport, Remove)):
        return ""
    return "".join(map(file.module.code_for_node, edit.new_statements))


def _import(edit: AddImport) -> str:
    alias = f" as {edit.alias}" if edit.alias else ""
    return f"from {edit.module} import {edit.name}{alias}" if edit.name else f"import {edit.module}{alias}"

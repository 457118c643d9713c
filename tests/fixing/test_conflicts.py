"""test_conflicts."""

from __future__ import annotations

import libcst as cst
import pytest

from ddplint.config.reasons import Because
from ddplint.findings.certainty import sure
from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Remove, Replace
from ddplint.fixing.edit.conflicts import chosen, overlap
from ddplint.rule import Finding, Fix, Place, Safety, Severity
from ddplint.source.file import SourceFile

from .support import compound, new, node, source, statement

TEXT = "a(x)\nif y:\n    b()\n    c()\nd(); e()\n"


def edit(file: SourceFile, what: str) -> Edit:
    kind, _, code = what.partition(" ")
    if kind == "import":
        return AddImport(file, "datetime", "timedelta")
    if kind == "replace":
        return Replace(file, node(file, code), cst.Name("z"))
    place = compound(file, cst.If) if code == "if" else statement(file, code)
    if kind == "remove":
        return Remove(file, place)
    return {"before": InsertBefore, "after": InsertAfter}[kind](file, place, (new("z"),))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("replace x", "replace y", False),
        ("replace x", "replace x", True),
        ("replace x", "replace a(x)", True),
        ("replace a", "replace x", False),
        ("remove a(x)", "replace x", True),
        ("remove b()", "remove c()", False),
        ("remove if", "remove c()", True),
        ("remove if", "after c()", True),
        ("remove if", "after if", True),
        ("remove c()", "after if", False),
        ("replace x", "after a(x)", False),
        ("after a(x)", "before if", True),
        ("after a(x)", "after a(x)", True),
        ("before a(x)", "after a(x)", False),
        ("after b()", "before c()", True),
        ("before b()", "after c()", False),
        ("after d()", "before e()", True),
        ("import", "import", False),
        ("import", "remove if", False),
    ],
)
def test_overlap(one: str, other: str, expected: bool) -> None:
    file = source(TEXT)
    assert overlap([edit(file, one)], [edit(file, other)]) is expected
    assert overlap([edit(file, other)], [edit(file, one)]) is expected


def test_files_do_not_meet() -> None:
    assert not overlap([edit(source(TEXT), "remove if")], [edit(source(TEXT, "b.py"), "remove if")])


def test_the_first_of_two_wins() -> None:
    file = source(TEXT)

    def finding(*whats: str) -> Finding:
        edits = tuple(edit(file, what) for what in whats)
        fix = Fix("", Safety.SAFE, edits) if edits else None
        return Finding("DDP101", "", Severity.ERROR, sure(Because.RANK_DECIDES), "", Place(file, file.module), fix=fix)

    first, second, third = (
        finding("remove b()", "import"),
        finding("replace x", "remove if"),
        finding("remove c()", "import"),
    )
    assert chosen([first, second, finding(), third]) == [first, third]
    assert chosen([second, first, third]) == [second]

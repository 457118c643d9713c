"""The lines that Python's parser gives a function are those that LibCST gives it."""

from __future__ import annotations

from pathlib import Path

import libcst as cst

from ddplint.source.file import SourceFile
from ddplint.source.outline import function_lines

TOP = Path(__file__).parent.parent.parent
FILES = sorted(
    path for name in ("ddplint", "rules", "fixtures", "tests/fixing") for path in (TOP / name).rglob("*.py")
)[::3]


class _Functions(cst.CSTVisitor):
    """The functions by class and name, as the walk knows them."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], list[cst.FunctionDef]] = {}
        self._owners = [""]

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._owners.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._owners.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.found.setdefault((self._owners[-1], node.name.value), []).append(node)


def _by_libcst(file: SourceFile) -> dict[tuple[str, str], list[tuple[int, int]]]:
    visitor = _Functions()
    file.module.visit(visitor)
    places = {name: [file.range_of(node) for node in nodes] for name, nodes in visitor.found.items()}
    return {name: sorted((one.start_line, one.end_line) for one in places[name]) for name in places}


def _by_python(text: str) -> dict[tuple[str, str], list[tuple[int, int]]]:
    return {name: sorted(lines) for name, lines in function_lines(text).items()}


def test_many_files() -> None:
    checked = 0
    for path in FILES:
        file = SourceFile.read(path)
        expected = _by_libcst(file)
        assert _by_python(file.text) == expected, path
        checked += len(expected)
    assert checked > 300


def test_odd_layout() -> None:
    text = (
        "import a\r\n\r\n@a.b(\r\n    1)\r\n# between\r\nasync def f(x=[\r\n  1]):  # told\r\n    return '''\r\n'''\r\n"
        "    # behind\r\n\r\nclass A:\r\n    def g(self): pass; pass\r\n    if a:\r\n        def h(self):\r\n"
        "            for x in y:\r\n                pass\r\n            else:\r\n                pass\r\n    # end"
    )
    file = SourceFile("odd.py", text.encode())
    assert _by_python(file.text) == _by_libcst(file)
    assert _by_python(file.text) == {("", "f"): [(6, 9)], ("A", "g"): [(13, 13)], ("A", "h"): [(15, 19)]}


def test_two_of_one_name() -> None:
    assert _by_python("def f(): pass\ndef f(): pass\n") == {("", "f"): [(1, 1), (2, 2)]}


def test_what_python_does_not_read() -> None:
    assert function_lines("print 1\n") == {}

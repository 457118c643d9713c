"""A file's text becomes its record."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

from ddplint.project import limits
from ddplint.project.index.reading.bodies import Body
from ddplint.project.index.reading.classes import read_class
from ddplint.project.index.reading.imports import imported
from ddplint.project.index.reading.paths import added
from ddplint.project.index.reading.words import words_at_top
from ddplint.project.index.records import MODULE, ClassRecord, FileRecord, FunctionRecord
from ddplint.source.file import SourceError, SourceFile


def read(file: SourceFile) -> FileRecord:
    """What is noted of a file. What cannot be read has a record that says why."""
    if len(file.data) > limits.MODULE_BYTES:
        return FileRecord(problem=f"larger than {limits.MODULE_BYTES} bytes, not looked at")
    try:
        return _Reading(_parsed(file)).record
    except SourceError as error:
        return FileRecord(problem=error.message)
    except SyntaxError as error:
        return FileRecord(problem=f"line {error.lineno or 0}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return FileRecord(problem=f"cannot be read: {error or 'nested too deeply'}")


def words_of(file: SourceFile) -> Mapping[str, frozenset[str]]:
    """What each function and class at the top of a file names; nothing of a file that cannot be read."""
    try:
        return words_at_top(_parsed(file)) if len(file.data) <= limits.MODULE_BYTES else {}
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _parsed(file: SourceFile) -> ast.Module:
    text = file.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


class _Reading:
    def __init__(self, tree: ast.Module) -> None:
        self.functions: list[FunctionRecord] = []
        self.classes: list[ClassRecord] = []
        body = Body(tree, MODULE, "")
        self._take(body)
        tables = list(body.tables)
        waiting = [body]
        while waiting:
            around = waiting.pop()
            for node, owner, prefix in around.inner:
                inner = Body(node, prefix, owner)
                tables += inner.tables
                self._take(inner)
                waiting.append(inner)
            for cls, prefix in around.classes:
                self.classes.append(read_class(cls, prefix))
        imports = imported(tree)
        self.record = FileRecord(self.functions, self.classes, imports, tables, added(tree), _is_script(tree))

    def _take(self, body: Body) -> None:
        self.functions.append(body.record())


def _is_script(tree: ast.Module) -> bool:
    """Whether there is ``if __name__ == "__main__":``."""
    tests = [one.test for one in tree.body if isinstance(one, ast.If)]
    names = (one.left for one in tests if isinstance(one, ast.Compare))
    return any(isinstance(name, ast.Name) and name.id == "__name__" for name in names)

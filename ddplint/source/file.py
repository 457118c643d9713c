"""One source file: its bytes and text, and, when asked for, its tree, positions and suppressions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.source.decoding import Decoded, DecodingError, decode, newline_of
from ddplint.util.regular import read_regular

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.source.notebooks import Notebook
    from ddplint.source.positions import Positions
    from ddplint.source.suppressions import Suppressions
    from ddplint.util.ranges import Range


_LINE_END = re.compile("\r\n|\n|\r")


class SourceError(Exception):
    """A file that cannot be checked: where, and in one sentence why. ``line`` is 0 where no line is to blame."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.column = column
        self.message = message

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{where}: error: {self.message}"


@dataclass(eq=False)
class SourceFile:
    """A file as it was read.

    ``path`` is as the user gave it, with forward slashes; ``data`` its bytes. Everything else is worked out on
    demand; ``text`` and what follows from it raise :class:`SourceError` where the file cannot be read as Python.
    """

    path: str
    data: bytes = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """Read a file. Raises :class:`SourceError` where that fails."""
        name = Path(path).as_posix()
        try:
            return cls(name, read_regular(path))
        except OSError as error:
            raise SourceError(name, 0, 0, f"cannot be read: {error.strerror or error}") from None

    @property
    def text(self) -> str:
        """The text without byte order mark; line ends as they are in the file."""
        return self._decoded.text

    @property
    def encoding(self) -> str:
        """The name of the encoding, as :meth:`bytes.decode` takes it."""
        return self._decoded.encoding

    def mentions(self, words: re.Pattern[bytes]) -> bool:
        """Whether one of ``words`` occurs in the bytes. They are searched once."""
        known: dict[bytes, bool] = self.__dict__.setdefault("_mentioned", {})
        if words.pattern not in known:
            known[words.pattern] = words.search(self.data) is not None
        return known[words.pattern]

    @cached_property
    def newline(self) -> str:
        """The line end the file uses (the first one)."""
        return newline_of(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, split where Python splits them (not at form feeds)."""
        return split_lines(self.text)

    @cached_property
    def real_path(self) -> Path:
        """The absolute path with symbolic links followed: the same file has the same."""
        return Path(self.path).resolve()

    @cached_property
    def module(self) -> cst.Module:
        """The LibCST module."""
        from ddplint.source import tree_cache
        from ddplint.source.parsing import ParseError, parse
        from ddplint.util import memory

        text, kept = self.text, tree_cache.kept()
        found = kept.get(self.real_path, text) if kept is not None else None
        if found is not None:
            self.__dict__["numbers"] = found[1]
            return found[0]
        try:
            tree = parse(text)
        except ParseError as error:
            raise SourceError(self.path, error.line, error.column, str(error)) from None
        memory.note_parsed(len(text))
        if kept is not None:
            kept.put(self.real_path, text, tree)
        return tree

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """The number of each function and lambda of ``module``, by the ``id`` of its node, as far as it was read."""
        tree = self.module
        if "numbers" in self.__dict__:  # they came with a kept tree
            known: Mapping[int, int] = self.__dict__["numbers"]
            return known
        from ddplint.source.tree import functions

        return {id(node): number for number, node in enumerate(functions(tree))}

    @property
    def is_parsed(self) -> bool:
        """Whether ``module`` is there already."""
        return "module" in self.__dict__

    def forget_tree(self) -> None:
        """Give back the memory of ``module`` and the text. Nodes that somebody still holds are then of another tree."""
        for name in ("module", "numbers", "parents", "_positions", "lines", "_decoded"):
            self.__dict__.pop(name, None)

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """The node that holds each node of the module; whitespace is left out."""
        from ddplint.source.tree import children

        found: dict[cst.CSTNode, cst.CSTNode] = {}
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            below = children(node)
            found.update(dict.fromkeys(below, node))
            stack += below
        return found

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes that hold ``node``, innermost first, without ``node`` itself."""
        above = self.parents.get(node)
        while above is not None:
            yield above
            above = self.parents.get(above)

    def upward(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """The nodes that hold ``node``, innermost first, each behind the one below it that holds ``node``, or is it."""
        return pairwise(chain((node,), self.ancestors(node)))

    def range_of(self, node: cst.CSTNode) -> Range:
        """Where a node of ``module`` is. Raises ``KeyError`` for a node of another tree."""
        return self._positions.range_of(node)

    @cached_property
    def suppressions(self) -> Suppressions:
        """The ``# ddplint: ignore[...]`` comments of the file."""
        from ddplint.source.suppressions import parse_suppressions

        return parse_suppressions(self)

    def encode(self, text: str) -> bytes:
        """``text`` as bytes of this file: its byte order mark and encoding. Raises ``UnicodeEncodeError``."""
        return self._decoded.bom + text.encode(self.encoding)

    def with_text(self, text: str) -> SourceFile:
        """The same file with another text. Raises ``UnicodeEncodeError`` where its encoding lacks a character."""
        return SourceFile(self.path, self.encode(text))

    @property
    def is_notebook(self) -> bool:
        """Whether it is a Jupyter notebook: its text is not what is in the file, so it cannot be written."""
        return self.path.endswith(".ipynb")

    def cell_of(self, line: int) -> tuple[int, int] | None:
        """The cell of a notebook that a line is in, and the line within it, both from 1."""
        return self._notebook.places.get(line) if self.is_notebook else None

    @cached_property
    def _notebook(self) -> Notebook:
        from ddplint.source.notebooks import read_notebook

        return read_notebook(self.data)

    @cached_property
    def _decoded(self) -> Decoded:
        try:
            if self.is_notebook:
                return Decoded(self._notebook.text, "utf-8", b"")
            return decode(self.data)
        except DecodingError as error:
            raise SourceError(self.path, error.line, 1, str(error)) from None

    @cached_property
    def _positions(self) -> Positions:
        from ddplint.source.positions import Positions

        return Positions(self.module, self.text)


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` without their ends."""
    return _LINE_END.split(text)

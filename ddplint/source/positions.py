"""Where nodes are in the text.

LibCST knows a node's place only by writing the module out again. Its own ``PositionProvider`` counts lines and columns
for every token, which costs more than parsing; here only the number of tokens before and after each node is kept, and
lines are counted for the few nodes that are asked about.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from libcst import Newline, SimpleWhitespace
from libcst._nodes.internal import CodegenState

from ddplint.util.ranges import Range

if TYPE_CHECKING:
    import libcst as cst


_LINE_END = re.compile(r"\r\n?|\n")
_LAYOUT = (Newline, SimpleWhitespace)
_SIDE = 1 << 32
"""Both ends of a node are kept as one number, for there are many."""
_FORM_FEED = re.compile(r"^[ \t]*\f[ \t\f]*", re.MULTILINE)


class Positions:
    """The places of the nodes of one module, whose text is ``text``."""

    def __init__(self, module: cst.Module, text: str) -> None:
        state = _Recorder(module.default_indent, module.default_newline)
        module._codegen(state)
        self._spans = state.spans
        self._offsets = array("L", accumulate(map(len, state.tokens), initial=0))
        code = "".join(state.tokens)
        self._line_starts = array("L", [0, *(end.end() for end in _LINE_END.finditer(code))])
        self._dropped = {} if code == text else _dropped_form_feeds(text, code)

    def range_of(self, node: cst.CSTNode) -> Range:
        """The place of ``node``. Raises ``KeyError`` for a node of another tree, and for blanks and line ends."""
        first, last = divmod(self._spans[node], _SIDE)
        return Range(*self._point(first), *self._point(last))

    def _point(self, token: int) -> tuple[int, int]:
        offset = self._offsets[min(token, len(self._offsets) - 1)]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1 + self._dropped.get(line, 0)


class _Recorder(CodegenState):
    """Notes how many tokens were written before and after each node.

    As with ``PositionProvider``, the syntactic extent that a node reports itself wins over the one with whitespace.
    """

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self.spans: dict[cst.CSTNode, int] = {}
        self.open: list[int] = []

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.open.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.open.pop()
        if type(node) not in _LAYOUT and node not in self.spans:
            self.spans[node] = start * _SIDE + len(self.tokens)

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        """A context manager around the part of the code that is ``node`` proper."""
        return _Extent(self, node, start_node, end_node)


class _Extent:
    __slots__ = ("end_node", "node", "recorder", "start", "start_node")

    def __init__(
        self, recorder: _Recorder, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.recorder, self.node, self.start_node, self.end_node = recorder, node, start_node, end_node

    def __enter__(self) -> None:
        self.start = len(self.recorder.tokens)

    def __exit__(self, *raised: object) -> None:
        spans = self.recorder.spans
        start = self.start if self.start_node is None else spans[self.start_node] // _SIDE
        end = len(self.recorder.tokens) if self.end_node is None else spans[self.end_node] % _SIDE
        spans[self.node] = start * _SIDE + end


def _dropped_form_feeds(text: str, code: str) -> dict[int, int]:
    """How many characters LibCST left out at the head of a line: form feeds before code, by line."""
    ours, theirs = _LINE_END.split(text), _LINE_END.split(code)
    dropped = {}
    for number, (line, known) in enumerate(zip(ours, theirs), 1):
        if line != known and _FORM_FEED.match(line):
            dropped[number] = len(line) - len(known)
    return dropped

"""Text → LibCST module, with errors that a person can act on."""

from __future__ import annotations

import ast
import re
import warnings
from itertools import accumulate
from typing import TYPE_CHECKING

from ddplint.source.decoding import newline_of
from ddplint.util.long_sums import may_be_long, parse_grouped

if TYPE_CHECKING:
    import libcst as cst


MAX_NESTING = 200
"""Brackets open at once; CPython's own tokenizer stops at the same depth."""

_BRACKET = re.compile(r"[()\[\]{}]")
_STEP = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_TOKEN = re.compile(
    r"#[^\r\n]*|(?P<quote>'''|\"\"\"|'|\")(?:\\.|(?!(?P=quote)).)*(?P=quote)|[()\[\]{}]|\r\n|\n|\r", re.DOTALL
)
_PYTHON_2 = (
    (re.compile(r"^[ \t]*print[ \t]+[\"'\w%]", re.M), "a print statement"),
    (re.compile(r"^[ \t]*print[ \t]*>>", re.M), "a print statement"),
    (re.compile(r"^[ \t]*except[ \t]+[\w.()]+[ \t]*,[ \t]*\w+[ \t]*:", re.M), "except E, name"),
    (re.compile(r"^[ \t]*raise[ \t]+[\w.]+[ \t]*,", re.M), "raise E, value"),
    (re.compile(r"^[ \t]*exec[ \t]+[\"'\w]", re.M), "an exec statement"),
    (re.compile(r"\w[ \t]*<>[ \t]*\w"), "the operator <>"),
    (re.compile(r"(?<![\w.])0[0-7]+(?![\w.])|(?<!\w)(?:\d+|0[xX][\da-fA-F]+)[lL]\b"), "an old number literal"),
    (re.compile(r"(?<!\w)[uU][rR][\"']"), "a ur'' literal"),
)
_WHERE = re.compile(r"error at (\d+):(\d+): ?(.*)", re.DOTALL)


class ParseError(ValueError):
    """The text is not Python 3. ``line`` and ``column`` are 1-based; the text is one sentence for the user."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def parse(text: str) -> cst.Module:
    """The LibCST module of ``text``, line by line the same. Raises :class:`ParseError`.

    Where line ends are mixed, which the parser does not always take, the module has the first kind throughout.
    """
    import libcst

    _refuse_deep(text)
    text = _with_one_newline(text)
    try:
        return (parse_grouped(text) if may_be_long(text) else None) or libcst.parse_module(text)
    except RecursionError:
        raise ParseError("the code is nested too deeply to be read") from None
    except libcst.ParserSyntaxError as error:
        raise _explained(text, error) from None


def _with_one_newline(text: str) -> str:
    if "\r" not in text:
        return text
    newline = newline_of(text)
    return re.sub(r"\r\n|\r|\n", lambda _: newline, text)


def _refuse_deep(text: str) -> None:
    """The native parser has no limit of its own and would end the process."""
    steps = map(_STEP.__getitem__, _BRACKET.findall(text))
    if max(accumulate(steps), default=0) <= MAX_NESTING:
        return
    depth, line = 0, 1
    for token in _TOKEN.finditer(text):
        word = token.group()
        depth = max(depth + _STEP.get(word, 0), 0)
        if depth > MAX_NESTING:
            raise ParseError(f"more than {MAX_NESTING} nested brackets", line)
        line += len(re.findall(r"\r\n|\n|\r", word))


def _explained(text: str, error: cst.ParserSyntaxError) -> ParseError:
    """Python's own words for the error where it sees one too, as they are the ones people know."""
    found = _python_error(text)
    if found is None:
        where = _WHERE.search(error.message)
        if where is None:
            return ParseError(_one_line(error.message), error.raw_line, error.raw_column + 1)
        return ParseError("syntax that the parser does not know", int(where[1]), int(where[2]) + 1)
    for pattern, what in _PYTHON_2:
        if pattern.search(text):
            found = ParseError(f"this is Python 2 ({what}); only Python 3 is read", found.line, found.column)
            break
    return found


def _python_error(text: str) -> ParseError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return ParseError(f"syntax error: {_one_line(error.msg)}", error.lineno or 1, max(error.offset or 1, 1))
    except (RecursionError, MemoryError, ValueError):
        return ParseError("the code is nested too deeply to be read")
    return None


def _one_line(message: str) -> str:
    return " ".join(message.split())

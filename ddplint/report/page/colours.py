"""Which stretches of a line of code have which colour: Python by its own tokenizer, of other files the comments."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping

from ddplint.source.file import SourceFile

Stretch = tuple[int, int, str]
"""Columns ``[start, end)`` from 0, and the name of a colour."""

_MOST = 2_000_000
"""Characters of a file that is given colours."""
_COMMENT = re.compile(r"(?:^|\s)(#.*)$")
_KINDS = {tokenize.COMMENT: "comment", tokenize.STRING: "string", tokenize.NUMBER: "digits"}
_CONSTANTS = frozenset({"None", "True", "False"})


def coloured(file: SourceFile) -> Mapping[int, list[Stretch]]:
    """The stretches by line, from 1; nothing where the file is no Python that the interpreter at hand can split."""
    found: defaultdict[int, list[Stretch]] = defaultdict(list)
    if getattr(file, "is_launch", False) or len(file.text) > _MOST:
        for number, line in enumerate(file.lines if len(file.text) <= _MOST else (), 1):
            comment = _COMMENT.search(line)
            if comment is not None:
                found[number].append((comment.start(1), len(line), "comment"))
        return found
    try:
        for number, start, end, kind in _tokens(file):
            found[number].append((start, end, kind))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # what was split before stays
    return found


def _tokens(file: SourceFile) -> Iterator[tuple[int, int, int, str]]:
    before = ""
    for token in tokenize.generate_tokens(io.StringIO("\n".join(file.lines) + "\n").readline):
        kind = _kind(token, before)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.string
        (line, start), (last, end) = token.start, token.end
        if kind:
            for number in range(line, last + 1):
                length = len(file.lines[number - 1]) if number <= len(file.lines) else 0
                yield number, start if number == line else 0, end if number == last else length, kind


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    if tokenize.tok_name[token.type].startswith("FSTRING"):
        return "string"
    if token.type != tokenize.NAME:
        return _KINDS.get(token.type, "")
    if before in ("def", "class"):
        return "defined"
    if token.string in _CONSTANTS:
        return "digits"
    return "keyword" if keyword.iskeyword(token.string) else ""

"""Programs of several modules, written as one text.

A line that is nothing but ``"module NAME"`` begins a module; what stands before the first is the program itself. Every
module keeps the line numbers of the whole text, so that a line has one number, wherever it stands.
"""

from __future__ import annotations

import re

_BEGIN = re.compile(r"""^["']+module (\w+)["']+$""")


def begin(name: str) -> str:
    """The line that begins a module."""
    return f'"module {name}"'


def split(source: str) -> dict[str, str]:
    """The text of each module, the program's own under the name ``""``; blank lines stand for what precedes it."""
    texts: dict[str, list[str]] = {"": []}
    name = ""
    for number, line in enumerate(source.splitlines(), start=1):
        found = _BEGIN.match(line)
        if found:
            name = found.group(1)
            texts[name] = [""] * number
        else:
            texts[name].append(line)
    return {name: "\n".join([*lines, ""]) for name, lines in texts.items()}


def join(texts: dict[str, str]) -> str:
    """One text of several modules; blank lines at the head of a module mean nothing."""
    own, *others = texts.items()
    return own[1] + "".join(f"{begin(name)}\n{text.lstrip(chr(10))}" for name, text in others)

"""Programs that a call starts and that change files: compilers, unpackers, downloaders, copies."""

from __future__ import annotations

import re

from ddplint.rule import Const, Event, Unknown, Value
from ddplint_rules import _paths as paths

__all__ = ["changes_files", "is_chosen_elsewhere"]

_BUILDS = r"make|ninja|cmake +(?:\S+ +)*--build|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|nvcc|\S*python[\d.]* +setup\.py"
_FETCHES = r"wget|git +clone|curl +(?:\S+ +)*(?:-\w*[oO]\b|--output\b|--remote-name\b)"
_UNPACKS = r"unzip|tar +(?:\S+ +)*(?:-?[a-z]*x[a-z]*|--extract)(?= |$)|gunzip|7z +x"
_MOVES = r"cp|mv"
_CHANGES = re.compile(rf"(?:[A-Z_]+=\S* +)*(?:\S*/)?(?:{_BUILDS}|{_FETCHES}|{_UNPACKS}|{_MOVES})(?: |$)")
_OUTSIDE = re.compile(
    r"^\S+ -[vV]$| (?:-|/dev/(?:null|stdout))$| (?:-O-|-O -|-qO-|--version|-n|--dry-run|clean)(?: |$)"
)
"""What writes no file: output to a pipe, questions for the version."""

_SEPARATORS = re.compile(r"&&|;|\|\||\n")


def changes_files(event: Event) -> str:
    """The program that an event starts, if it builds, fetches, unpacks, copies or moves files; else the empty text."""
    if event.effect != "process":
        return ""
    for part in _SEPARATORS.split(_line(event)):
        command = " ".join(part.split())
        if _CHANGES.match(command) and not _OUTSIDE.search(command):
            return command.split()[0].rpartition("/")[2]
    return ""


def is_chosen_elsewhere(event: Event) -> bool:
    """Whether the command has a part that is a parameter somebody else chose, and that may name the rank."""
    return any(not isinstance(value, Const) and paths.is_given_by_caller(value) for value in _values(event))


def _values(event: Event) -> tuple[Value, ...]:
    return tuple(event.details.get("content", ()))


def _line(event: Event) -> str:
    """The command as far as it is known, with a word for each thing that is not."""
    first = event.args[0] if event.args else event.kwargs.get("args")
    words = [] if first is None else [first] if isinstance(first, (Const, Unknown)) else list(_values(event))
    return " ".join("".join(map(_text, paths.pieces(word))) for word in words)


def _text(piece: object) -> str:
    if isinstance(piece, str):
        return piece
    return "python" if getattr(piece, "key", ())[-1:] == ("executable",) or _is_python(piece) else "?"


def _is_python(piece: object) -> bool:
    return getattr(piece, "name", "") == "sys.executable"

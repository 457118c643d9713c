"""``hash()`` of a text: Python salts it anew in each process, so that no two ranks get the same number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.facts import Reason
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.values import Const, Unknown, Value, Varying

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

_OF_TEXT = frozenset(
    {"format", "join", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "removeprefix", "zfill"}
)
_GIVE_TEXT = frozenset(
    {"str", "builtins.str", "builtins.repr", "os.path.join", "os.path.basename", "os.path.abspath", "json.dumps"}
)
_MAX_DEPTH = 6


def hashed(w: Walker, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value | None:
    """What ``hash`` gives: a number of the process's own for a text, unless the program sets the salt."""
    if len(args) != 1 or not _is_text(args[0]) or "PYTHONHASHSEED" in w.frame.module.text:
        return None
    trail = w.trail(node, "hash() of a text: salted anew in each process")
    return Varying(Reason.RANDOM, symbol("call", "builtins.hash", args[0]), trail)


def _is_text(value: object, depth: int = _MAX_DEPTH) -> bool:
    """Whether a value is surely a text."""
    if isinstance(value, Const):
        return isinstance(value.value, str)
    key = value.symbol.key if isinstance(value, (Unknown, Varying)) else getattr(value, "key", ())
    if not isinstance(value, (Unknown, Varying, Symbol)) or not key or not depth:
        return False
    if key[0] == "text":
        return True
    if key[0] == "method":
        return len(key) > 2 and key[1] in _OF_TEXT and _is_text(key[2], depth - 1)
    if key[:2] == ("op", "+"):
        return any(_is_text(part, depth - 1) for part in key[2:])
    return key[0] == "call" and key[1] in _GIVE_TEXT

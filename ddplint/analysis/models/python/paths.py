"""Paths as ``pathlib`` makes them from other paths: their text stays known, or named after what it was made from."""

from __future__ import annotations

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.term import Called, Operation, Text
from ddplint.analysis.domain.values import Bound, Const, External, Object, PerRank, Unknown, Value, Varying
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api

_SAME_FUNCTION = {
    "resolve": "os.path.realpath",
    "absolute": "os.path.abspath",
    "expanduser": "os.path.expanduser",
    "parent": "os.path.dirname",
    "name": "os.path.basename",
}
"""Members that do what a function of ``os.path`` does to the text."""

_TEXTS = frozenset({"name", "stem", "suffix"})
_ATTRIBUTES = _TEXTS | {"parent"}
_PATHS = frozenset({"resolve", "absolute", "expanduser", "parent", "with_name", "with_suffix", "with_stem"})

_LISTS = frozenset({"iterdir", "glob", "rglob"})
_CHANGES = frozenset({"unlink", "rmdir", "rename", "replace"})
_MADE = (Called, Operation, Text)
"""What is worked out from a path: a text, for all that is known."""


def is_path(value: Value) -> bool:
    """Whether a value is an object of ``pathlib``."""
    return isinstance(value, Object) and value.name.startswith("pathlib.")


def divides(base: Value, part: Value) -> bool:
    """Whether ``base / part`` is a path: also of something unknown, for nothing else is divided by a text."""
    text = isinstance(part, Const) and isinstance(part.value, str)
    text = text or (isinstance(part, (Unknown, Varying)) and isinstance(part.symbol, Text))
    text = text or (isinstance(part, PerRank) and all(divides(base, one) for one in part.values))
    return is_path(base) or (text and isinstance(base, (External, Unknown, Varying)))


def text_of(value: Value) -> Value:
    """The text of a path, and anything else as it is."""
    return value.args[0] if isinstance(value, Object) and is_path(value) and value.args else value


def path_of(w: Interp, text: Value) -> Object:
    """The path with a text."""
    return Object("pathlib.Path", w.owner(("path", text)), (text,))


def joined(base: Value, *parts: Value) -> Value:
    """The text of ``base / part / part``."""
    text = text_of(base)
    for part in parts:
        text = terms.text_of(text, Const("/"), text_of(part))
    return text


def attribute(w: Interp, base: Value, name: str) -> Value | None:
    """``path.parent``, or a method that :func:`called` knows; None for all other attributes."""
    if name in _ATTRIBUTES:
        return called(w, base, name, [])
    known = isinstance(base, Object) and is_path(base) and name in _PATHS | {"joinpath", "as_posix"}
    return Bound(External(f"pathlib.Path.{name}"), base) if known else None


def of_listed(w: Interp, base: Value, name: str, args: list[Value]) -> Api | None:
    """What the tables say of a method that changes a file, on what a listing of a ``pathlib.Path`` gave.

    With two arguments it is the ``replace`` of a text.
    """
    if name not in _CHANGES or len(args) > 1 or not isinstance(base, Varying):
        return None
    if base.trail is None or isinstance(base.symbol, _MADE):
        return None
    listed = base.trail.links()[0].text.rpartition(".")
    return w.knowledge.lookup(f"pathlib.Path.{name}") if listed[0] == "pathlib.Path" and listed[2] in _LISTS else None


def called(w: Interp, base: Value, name: str, args: list[Value]) -> Value | None:
    """What a method gives that only reckons with the text; None for all others."""
    if not isinstance(base, Object) or not is_path(base) or not base.args:
        return None
    if name == "as_posix":
        return text_of(base)
    if name == "joinpath":
        return path_of(w, joined(base, *args))
    if name not in _TEXTS | _PATHS:
        return None
    head = _SAME_FUNCTION.get(name, f"pathlib.Path.{name}")
    text = terms.derived(("call", head), [text_of(base), *map(text_of, args)])
    return text if name in _TEXTS else path_of(w, text)

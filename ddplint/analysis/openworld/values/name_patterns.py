"""Functions that are picked by a name: ``getattr(backends, f"init_{kind}")(...)``, ``{"a": first, "b": second}[kind]``.

Of a module or an object it is one of the functions whose names fit the known part, or what was asked of the name on the
way there (``if "FSDP" in name:``), of a dictionary one of its values; classes, too. Each of a few is a way that
all ranks take alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.join import either
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.term import In
from ddplint.analysis.domain.values import (
    NONE,
    Bound,
    Class,
    Const,
    Deferred,
    External,
    Function,
    Instance,
    ModuleValue,
    Partial,
    Tuple,
    Unknown,
    Value,
)
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.summaries import helper_modules

_OF_PROJECT = (Bound, Class, Deferred, Function)
_LEAST = 3
"""Letters of a name that must be known: by fewer, it may be anybody's."""


def picked(w: Interp, base: Value, name: Value, node: cst.CSTNode) -> Value | None:
    """The functions and classes that ``getattr(base, name)`` may give, as one value; None where they are not known.

    Parameters: ``node``, the call.
    """
    pieces = terms.known_pieces(name)
    known = sum(len(piece) for piece in pieces if piece is not None)
    asked = _asked(w, name)
    known += max((len(part) for part, inside in asked if inside), default=0)
    names = [one for one in _names(w, base) if terms.may_read(pieces, one)] if known >= _LEAST else []
    names = [one for one in names if all((part in one) is inside for part, inside in asked)]
    if not 0 < len(names) <= limits.PICKED_METHODS:
        return None
    return _one_of(name, [(Const(one), w.semantics.get(w, base, one, node)) for one in names])


def under_a_key(w: Interp, key: Value, pairs: Sequence[Value], otherwise: Sequence[Value] = ()) -> Value | None:
    """The functions or classes that ``dictionary[key]`` may give, as one value; None where they are many.

    Of many, those are followed of which other ranks may notice something, where these are few.

    Parameters: ``pairs``, its keys and values; ``otherwise``, what ``dictionary.get(key, ...)`` gives for another key.
    """
    held = [(pair.items[0], pair.items[1]) for pair in pairs if isinstance(pair, Tuple)]
    known = len(held) == len(pairs) and all(isinstance(one, Const) for one, _ in held)
    if not known or not held or not isinstance(key, Unknown):
        return None
    found = [*held, *((NONE, one) for one in otherwise)]
    if len(found) > limits.PICKED_METHODS:
        heard = [pair for pair in found if helper_modules.is_heard(w, pair[1])]
        if not 0 < len(heard) <= limits.PICKED_METHODS:
            return None
        found = [*heard, next(pair for pair in found if pair not in heard)] if _are_callable(found) else []
    return _one_of(key, found)


def _are_callable(found: Sequence[tuple[Value, Value]]) -> bool:
    """Whether all are functions or classes, some of them of the project."""
    some = any(isinstance(one, _OF_PROJECT) for _, one in found)
    return some and all(isinstance(one, (*_OF_PROJECT, External, Partial)) for _, one in found)


def _one_of(key: Value, found: Sequence[tuple[Value, Value]]) -> Value | None:
    """The function or class for each value that a key may have, as one value."""
    if not _are_callable(found):
        return None
    value = found[-1][1]
    for at, one in reversed(found[:-1]):
        value = either(symbol("op", "==", terms.key_of(key), at), one, value)
    return value


def _asked(w: Interp, name: Value) -> list[tuple[str, bool]]:
    """Which parts a name has, and which it has not, by what was asked on the way here."""
    key = terms.key_of(name)
    found = [
        (what.part.value, inside)
        for what, inside in w.state.path.known.items()
        if isinstance(what, In) and what.where == key and isinstance(what.part, Const)
    ]
    return [(part, inside) for part, inside in found if isinstance(part, str)]


def _names(w: Interp, base: Value) -> list[str]:
    """The names of the functions and classes of a module, or of the methods of an object whose class is known whole."""
    if isinstance(base, ModuleValue):
        w.semantics.load(w, base.module)
        held = w.state.held(base.module.scope)
        return [name for name, value in held if isinstance(value, (Class, Function, Deferred))]
    if isinstance(base, Instance):
        owners = list(classes.lineage(w, base.cls))
        bodies = (item for one in owners for item in one.node.body.body)
        return list(dict.fromkeys(item.name.value for item in bodies if isinstance(item, cst.FunctionDef)))
    return []

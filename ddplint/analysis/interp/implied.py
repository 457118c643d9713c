"""What a program takes for granted by asking a value for an attribute: that it has it.

Where a function gives a model, or a model and a report, behind ``model.parameters()`` it is a model, since with a tuple
the program has ended. Where an ``except`` may catch that, nothing is taken for granted.
"""

from __future__ import annotations

from ddplint.analysis.domain.values import Const, Container, Either, Tuple, Value
from ddplint.analysis.memory.protocol import Interp

_KINDS: dict[str, type] = {"dict": dict, "list": list, "set": set}


def asked_for(w: Interp, value: Value, name: str) -> Value:
    """The alternatives of a value that have an attribute; from now on it is none of the others."""
    while type(value) is Either and value.local is None and not w.tries:
        lacking = [_lacks(side, name) for side in (value.yes, value.no)]
        if lacking[0] is lacking[1] or w.state.path.get(value.symbol) is not None:
            break
        w.state.assume([(value.symbol, lacking[1])])
        value = value.no if lacking[0] else value.yes
    return value


def _lacks(value: Value, name: str) -> bool:
    """Whether a value is of a kind of Python's own that has no such attribute."""
    kind: type | None = None
    if isinstance(value, Tuple):
        kind = tuple
    elif isinstance(value, Container):
        kind = _KINDS.get(value.kind)
    elif isinstance(value, Const):
        kind = type(value.value)
    return kind is not None and not hasattr(kind, name)

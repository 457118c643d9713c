"""What is taken to be a constant, or one of a few, on a path: a question about it may have an answer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ddplint.analysis.domain.term import In, Operation
from ddplint.analysis.domain.values import Const, Tuple

Fixed = Mapping[object, Sequence[Const]]
"""Of what which constants it may be."""

_COMPARED: Mapping[object, Callable[[Any, Any], Any]] = {"==": operator.eq, "<": operator.lt}


def fixed(known: Mapping[Any, bool]) -> Fixed:
    """What may be a few constants only: ``mode`` where ``mode == "train"`` or ``mode in ("train", "test")`` holds."""
    found: dict[object, Sequence[Const]] = {}
    for what, value in known.items():
        few = _few(what) if value else None
        if few is not None:
            before = found.get(few[0], few[1])
            found[few[0]] = [one for one in few[1] if one in before]
    return found


def _few(what: object) -> tuple[object, Sequence[Const]] | None:
    if isinstance(what, In):
        return (what.part, held) if not isinstance(what.part, Const) and (held := _constants(what.where)) else None
    if not isinstance(what, Operation) or what.sign != "==":
        return None
    one, other = what.operands
    if isinstance(one, Const):
        one, other = other, one
    return (one, [other]) if isinstance(other, Const) and not isinstance(one, Const) else None


def _constants(where: object) -> list[Const]:
    """What a list holds, if it is constants alone."""
    items = where.items if isinstance(where, Tuple) else ()
    held = [one for one in items if isinstance(one, Const)]
    return held if len(held) == len(items) else []


def apart(one: Fixed, other: Fixed) -> bool:
    """Whether something is taken for other constants here than there."""
    return any(not any(value in values for value in other.get(what, values)) for what, values in one.items())


def answer(known: Fixed, what: In | Operation) -> bool | None:
    """What a question about something is that may be a few constants; ``None`` where it hangs on which it is."""
    if isinstance(what, In):
        held = _constants(what.where)
        answers: set[bool | None] = {value in held for value in _values(known, what.part)} if held else set()
    else:
        answers = set(_compared(known, what))
    return answers.pop() if len(answers) == 1 else None


def _values(known: Fixed, what: object) -> Sequence[Const]:
    """What something may be; nothing where that is not known."""
    if isinstance(what, Const):
        return (what,)
    return known.get(what, ())


def _compared(known: Fixed, what: Operation) -> list[bool | None]:
    """The answers to a comparison with a constant."""
    compute = _COMPARED.get(what.sign)
    if compute is None:
        return []
    first, second = (_values(known, side) for side in what.operands)
    return [_held(compute, one.value, other.value) for one in first for other in second]


def _held(compute: Callable[[Any, Any], Any], one: object, other: object) -> bool | None:
    try:
        return bool(compute(one, other))
    except TypeError:
        return None

"""Terms: what stands in a symbol for a value, and what a computation gives that is not folded."""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.term import Operation, Text
from ddplint.analysis.domain.values import Const, Unknown, Value, Varying, Wrapped, source_of, varying_in
from ddplint.util import figures

_SPEC = re.compile(r"%(?:\((?P<key>\w+)\))?[-+ #0]*\d{0,3}(?:\.\d{1,3})?(?P<kind>[sdirfgexXuo%])")


def percent(template: Value, items: Sequence[Value]) -> Value | None:
    """``template % items``; None where the template is not known or wants something else."""
    if not isinstance(template, Const) or not isinstance(template.value, str):
        return None
    text, parts, at, used = template.value, list[Value](), 0, 0
    for spec in _SPEC.finditer(text):
        parts.append(Const(text[at : spec.start()]))
        at = spec.end()
        if spec["kind"] == "%":
            parts.append(Const("%"))
            continue
        if spec["key"] or used == len(items):
            return None
        parts.append(_shown(items[used], partial(operator.mod, spec[0])))
        used += 1
    return text_of(*parts, Const(text[at:])) if used == len(items) else None


def braces(template: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``template.format(*args, **kwargs)``."""
    pieces = _pieces(template, args, kwargs)
    return text_of(*(pieces if pieces is not None else (template, *args, *kwargs.values())))


def _pieces(template: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> list[Value] | None:
    """The text between the fields, and what the fields show; None where that is not known."""
    if not isinstance(template, Const) or not isinstance(template.value, str):
        return None
    found: list[Value] = []
    try:
        parsed = list(string.Formatter().parse(template.value))
    except ValueError:
        return None
    automatic = iter(args)
    for text, field, spec, _ in parsed:
        found.append(Const(text))
        if field is None:
            continue
        value = next(automatic, None) if not field else kwargs.get(field) or _at(args, field)
        if value is None:
            return None
        found.append(_shown(value, partial(_formatted, spec or "")))
    return found


def _at(args: Sequence[Value], field: str) -> Value | None:
    place = figures.written(field)
    return args[place] if place is not None and 0 <= place < len(args) else None


def _formatted(spec: str, value: Any) -> str:
    return figures.formatted(value, spec)


def _shown(value: Value, show: Callable[[Any], Any]) -> Value:
    if not isinstance(value, Const):
        return value
    text = figures.shown(value.value, show)
    return value if text is None else Const(text)


_APART = {Reason.DATA: 0, Reason.RANDOM: 1}
"""What surely differs between ranks, the surest first."""


def text_of(*parts: Value) -> Value:
    """The concatenation of printed values: known where all are, else a symbol that names the parts.

    Where each rank's own data is in it, or what it has drawn, it is a text of that: the time, or what is on a disk,
    may be alike.
    """
    if all(isinstance(part, Const) for part in parts):
        shown = (figures.shown(part.value) or "" for part in parts if isinstance(part, Const))
        return Const("".join(shown)[: limits.KNOWN_TEXT])
    found = [local for part in parts if (local := varying_in(part)) is not None]
    local = min(found, key=lambda one: _APART.get(one.reason, len(_APART)), default=None)
    what = symbol("text", *(key_of(part) for part in parts))
    return Varying(local.reason, what, local.trail) if local else Unknown(what)


def key_of(value: Value) -> object:
    """A hashable stand-in for a value inside a symbol."""
    kind = type(value)
    if kind is Unknown or kind is Varying:
        return value.symbol  # type: ignore[attr-defined]
    if isinstance(value, Const):
        try:
            hash(value.value)
        except TypeError:
            return repr(value.value)
        return value
    return value


def folded(name: str, compute: Callable[..., Any] | None, *values: Value) -> Value:
    """Fold constants, else name the operation."""
    if compute is not None and all(isinstance(value, Const) for value in values):
        found = safely(name, compute, *(value.value for value in values if isinstance(value, Const)))
        if found is not None:
            return found
    return derived(("op", name), values)


def safely(name: str, compute: Callable[..., Any], *args: Any) -> Value | None:
    found = figures.computed(name, compute, args)
    return None if found is None else Const(found[0])


def derived(head: tuple[object, ...], values: tuple[Value, ...] | list[Value]) -> Value:
    """The result of an operation that is not folded: uniform if its inputs are, rank-local if one is."""
    source: Wrapped | None = None
    local: Varying | None = None
    for value in values:
        kind = type(value)
        if kind is Unknown:
            source = source or value.source  # type: ignore[attr-defined]
        elif kind is not Const:
            source = source or source_of(value)
            local = local or varying_in(value)
    what = symbol(*head, *map(key_of, values))
    if local is not None:
        return Varying(local.reason, what, local.trail, source)
    return Unknown(what, source)


def known_pieces(value: object) -> tuple[str | None, ...]:
    """The known pieces of a text that was put together, and None for what is not known between them."""
    made = value.symbol if isinstance(value, (Unknown, Varying)) else value
    if isinstance(made, Const):
        return (str(made.value),)
    made = made.whole if isinstance(made, Symbol) else made
    parts: tuple[object, ...] = ()
    if isinstance(made, Text):
        parts = made.parts
    elif isinstance(made, Operation) and made.sign == "+" and not any(map(_is_number, made.operands)):
        parts = made.operands
    return tuple(piece for part in parts for piece in known_pieces(part)) if parts else (None,)


def _is_number(part: object) -> bool:
    return isinstance(part, Const) and not isinstance(part.value, str)


def may_read(found: Sequence[str | None], text: str) -> bool:
    """Whether a text of known and unknown pieces may be this one."""
    return re.fullmatch("".join(".*" if one is None else re.escape(one) for one in found), text, re.DOTALL) is not None

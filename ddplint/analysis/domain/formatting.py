"""Text made by ``%`` and ``str.format``: its known pieces stay known, and a piece that differs by rank differs."""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.semantics import expressions

_SPEC = re.compile(r"%(?:\((?P<key>\w+)\))?[-+ #0]*\d{0,3}(?:\.\d{1,3})?(?P<kind>[sdirfgexXuo%])")

_LONG = re.compile(r"\d{4}")
"""A width that nobody wants to see."""


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
    return expressions.text_of(*parts, Const(text[at:])) if used == len(items) else None


def braces(template: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """``template.format(*args, **kwargs)``."""
    pieces = _pieces(template, args, kwargs)
    return expressions.text_of(*(pieces if pieces is not None else (template, *args, *kwargs.values())))


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
    return args[int(field)] if field.isdigit() and int(field) < len(args) else None


def _formatted(spec: str, value: Any) -> str:
    return format(value, spec) if _LONG.search(spec) is None else str(value)


def _shown(value: Value, show: Callable[[Any], Any]) -> Value:
    if not isinstance(value, Const):
        return value
    try:
        return Const(show(value.value))
    except (TypeError, ValueError):
        return value

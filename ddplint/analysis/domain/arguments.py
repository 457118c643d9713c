"""Which argument of a call is meant."""

from __future__ import annotations

from ddplint.analysis.domain.values import Value

Args = list[Value]
Kwargs = dict[str, Value]


def argument(args: Args, kwargs: Kwargs, name: str, position: int | None) -> Value | None:
    """An argument by keyword or position, if it was given."""
    if name and name in kwargs:
        return kwargs[name]
    if position is not None and position < len(args):
        return args[position]
    return None

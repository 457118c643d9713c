"""Spans of time."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Const, Value, varying_in
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models import results


def span(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """``timedelta(seconds=...)`` of what each rank reads for itself: by keyword it is given nothing but numbers."""
    given = [*args, *kwargs.values()]
    if not any(varying_in(value) for value in given):
        return None
    return results.result_of(w, ("call", "datetime.timedelta", *map(Const, kwargs)), given, node)

"""Parameters that a program gives itself: a test of one is no choice that its runs have."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.trace.events import Frame
from ddplint.fixing.code.site import Site
from ddplint.source.calls import argument, starred
from ddplint.source.tree import dotted, positional

_CONSTANTS = ("True", "False", "None")


def is_written_down(stack: Sequence[Frame], number: int, asked: cst.BaseExpression) -> bool:
    """Whether what is asked in a step of a stack is a constant: its own default, or what one of its callers wrote.

    Parameters: ``number`` is that of the step; the first one has no callers that anybody knows.
    """
    if dotted(asked) in _CONSTANTS:
        return True
    site = Site(stack[number].file, stack[number].node)
    function = site.function
    if not number or not isinstance(asked, cst.Name) or function is None:
        return False
    params = [*function.params.posonly_params, *function.params.params, *function.params.kwonly_params]
    param = next((one for one in params if one.name.value == asked.value), None)
    call = stack[number - 1].call
    if param is None or call is None or starred(call) or len(site.values_of(asked)) > 1:
        return False
    names = positional(function.params)[1 if site.owner is not None else 0 :]
    given = argument(call, asked.value, names.index(asked.value) if asked.value in names else None)
    if given is not None:
        return is_written_down(stack, number - 1, given)
    return param.default is not None and dotted(param.default) in _CONSTANTS

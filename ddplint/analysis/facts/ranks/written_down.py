"""What stands in a program itself: parameters that it gives itself, no choice of its runs, and who a process is."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Container, External, Unknown
from ddplint.analysis.trace.events import Event, Frame
from ddplint.fixing.code.site import Site
from ddplint.source.calls import argument, starred
from ddplint.source.tree import dotted, positional

_CONSTANTS = ("True", "False", "None")
_PLACE_OF_RANK = 4


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


def written_out(start: Event) -> bool:
    """Whether the number with which a process joins a group stands in the program: no two processes can run that.

    It may also say which element of a list is meant that the program has made, also by the name of a constant of
    another module. The others run another program.
    """
    given = start.argument("rank", _PLACE_OF_RANK) if start.effect == Effect.INIT else None
    if isinstance(given, Unknown) and isinstance(given.symbol, terms.Item):
        base, place = given.symbol.base, given.symbol.index
        return isinstance(base, Container) and (isinstance(place, External) or _is_number(place))
    return _is_number(given)


def _is_number(given: object) -> bool:
    return isinstance(given, Const) and type(given.value) is int and given.value >= 0

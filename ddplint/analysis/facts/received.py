"""What is received into a list or tensor that is made in the call: nobody has it afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import PerRank, Value, Varying
from ddplint.analysis.facts.calls import last_name
from ddplint.analysis.trace.events import Event
from ddplint.analysis.trace.uniformity import parts
from ddplint.fixing.code.site import Site
from ddplint.knowledge import tables
from ddplint.source.ancestry import nodes_of
from ddplint.source.calls import argument

_RECEIVES = {
    "all_reduce": "tensor",
    "broadcast": "tensor",
    "broadcast_object_list": "object_list",
}
"""What receives into its first argument, by the keyword of that."""


def lost_and_read(event: Event) -> cst.Name | None:
    """A variable that was put into what a call receives into, and that is read as if it had been received itself.

    Where all ranks have the same, nothing is lost.
    """
    row = event.api
    keyword = _RECEIVES.get(last_name(event.name), "") if row is not None and row.framework == "torch" else ""
    call = event.call
    if event.effect != Effect.COLLECTIVE or not keyword or call is None or not event.by_all:
        return None
    site = Site(event.file, call)
    given = argument(call, keyword, 0)
    if given is None or not isinstance(site.tree.parent(call), cst.Expr) or not _differs(event, keyword):
        return None
    names = {name.value for name in _put_in(site, given)}
    return next((name for name in _first_uses(site, names) if _is_read(site, name)), None)


def _differs(event: Event, keyword: str) -> bool:
    """Whether ranks give values of their own."""
    given: list[Value] = [*event.args[:1], *event.details.get("content", ())]
    given += [event.kwargs[keyword]] if keyword in event.kwargs else []
    return any(isinstance(part, (PerRank, Varying)) for value in given for part in parts(value))


def _put_in(site: Site, made: cst.BaseExpression) -> Iterator[cst.Name]:
    """The variables of which something new is made: ``[x]``, ``torch.tensor([x]).cuda()``, ``x.clone()``, a product.

    Of what is worked out it is those of which a method is called: the others may be numbers that all have.
    """
    if isinstance(made, cst.BinaryOperation):
        for side in (made.left, made.right):
            yield from _put_in(site, side) if isinstance(side, cst.BinaryOperation) else _called_on(side)
    if isinstance(made, cst.List):
        yield from (one.value for one in made.elements if isinstance(one.value, cst.Name))
    elif isinstance(made, cst.Call) and site.qualified(made.func) in tables.names("copies"):
        for given in made.args[:1]:
            yield from [given.value] if isinstance(given.value, cst.Name) else _put_in(site, given.value)
    elif isinstance(made, cst.Call) and isinstance(made.func, cst.Attribute):
        base = made.func.value
        copied = made.func.attr.value == "clone" and isinstance(base, cst.Name)
        yield from [base] if copied and isinstance(base, cst.Name) else _put_in(site, base)


def _called_on(node: cst.BaseExpression) -> Iterator[cst.Name]:
    """The variable on which methods are called, one after the other."""
    called = False
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node, called = node.func.value, True
    if called and isinstance(node, cst.Name):
        yield node


def _first_uses(site: Site, names: set[str]) -> Iterator[cst.Name]:
    """Where each of some variables stands first behind the call, in the same function."""
    seen: set[str] = set()
    here = site.tree.order(site.node)
    inside = {id(one) for one in nodes_of(site.node, cst.Name)}
    for name in nodes_of(site.function or site.module, cst.Name, into_functions=False):
        if name.value in names - seen and site.tree.order(name) > here and id(name) not in inside:
            seen.add(name.value)
            yield name


def _is_read(site: Site, name: cst.Name) -> bool:
    """Whether a variable is read there, rather than set, or named as something of another's."""
    around = site.tree.parent(name)
    if isinstance(around, (cst.AssignTarget, cst.AnnAssign, cst.Param, cst.Del)):
        return False
    keyword = isinstance(around, cst.Arg) and around.keyword is name
    return not keyword and not (isinstance(around, cst.Attribute) and around.attr is name)

"""Which loaders a sampler can serve: where it drops its tail, each of them must train, and do without the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Const, Effect, Event, Walk
from ddplint.rule.code import Binding, Site
from ddplint.rule.facts import Pass, passes, trains

_THROUGH = frozenset({"enumerate", "zip", "list", "tuple", "reversed", "iter"})
_DEPTH = 6
"""Names that stand for names, loops over lists of lists: people write two or three."""


def against_dropping(event: Event, walks: Sequence[Walk]) -> str:
    """Why the sampler that an event makes had better keep its tail; ``""`` where all that it can serve trains."""
    assert event.call is not None
    site = Site(event.file, event.node)
    given = next((arg.value for arg in event.call.args if arg.keyword is None or arg.keyword.value == "dataset"), None)
    if given is not None and _is_callers(site, given, _DEPTH):
        return "the function is given the data set, and may be given one that is evaluated"
    for walk, found in _served(event, walks):
        if not trains(walk, found):
            return "it also serves what does not train"
        if found.loop is None:
            return "where there are fewer samples than ranks, `next` finds no batch and raises"
        if _drops(found):
            return "its loader drops the incomplete batch already"
    return ""


def _served(event: Event, walks: Sequence[Walk]) -> Iterator[tuple[Walk, Pass]]:
    """The passes over the samplers that are made here, in any walk."""
    for walk in walks:
        made = [one.result for one in walk.doing(Effect.SAMPLER) if one.node is event.node]
        yield from ((walk, found) for found in passes(walk) if found.sampler in made)


def _drops(found: Pass) -> bool:
    given = found.loader.argument(8, "drop_last")
    return found.loader is not found.sampler and isinstance(given, Const) and given.value is True


def _is_callers(site: Site, node: cst.BaseExpression, depth: int) -> bool:
    """Whether an expression is a parameter of the function around, or a part or element of one."""
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return depth > 0 and _is_callers(site, node.value, depth - 1)
    if not isinstance(node, cst.Name) or node.value in ("self", "cls") or site.function is None or not depth:
        return False
    found = site.scopes.lookup(node.value, site.here(node))
    return found is not None and any(_binds_callers(site, one, depth - 1) for one in found[1])


def _binds_callers(site: Site, binding: Binding, depth: int) -> bool:
    if binding.kind == "param":
        return True
    if isinstance(binding.value, (cst.Name, cst.Attribute, cst.Subscript)):
        return _is_callers(site, binding.value, depth)
    loop = next((one for one in site.tree.lineage(binding.node) if isinstance(one, (cst.For, cst.CompFor))), None)
    return (
        binding.value is None and loop is not None and any(_is_callers(site, one, depth) for one in _sources(loop.iter))
    )


def _sources(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """What a loop goes over, also through ``zip`` and ``enumerate``."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _THROUGH:
        for arg in node.args:
            yield from _sources(arg.value)
    else:
        yield node

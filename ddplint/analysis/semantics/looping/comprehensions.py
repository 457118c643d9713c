"""Comprehensions: a loop that builds a container."""

from __future__ import annotations

from typing import Any

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.join import trail_of
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, Object, PerRank, Tuple, Value, Varying, by_rank_in, varying_in
from ddplint.analysis.interp import generators, recording
from ddplint.analysis.memory import containers, filling, numbers
from ddplint.analysis.memory.contents import members
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import parts, sifted, turns
from ddplint.analysis.models.distributed import drawn_members, ranks
from ddplint.analysis.semantics.looping import iteration

_State = dict[str, Any]
_Comp = cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp


def comprehension(w: Interp, node: _Comp) -> Value:
    """The container a comprehension builds; its element expression runs like a loop body.

    Where ranks go over what they have filled differently, each builds its own.
    """
    source: Value = w.semantics.evaluate(w, node.for_in.iter)
    own = next(iter(filling.apart(w, [source])), None)
    if own is not None:
        return w.split(own, node.for_in.iter, GuardKind.COMPREHENSION, lambda _: _built(w, node, source)) or NONE
    if isinstance(source, PerRank) and all(containers.items_of(w, one) is not None for one in source.values):
        return w.split(source, node.for_in.iter, GuardKind.COMPREHENSION, lambda seen: _built(w, node, seen)) or NONE
    return _built(w, node, source)


def _built(w: Interp, node: _Comp, source: Value) -> Value:
    found: list[Value] = []
    state: _State = {"known": True, "local": None}
    outer = w.frame.scope
    w.frame.scope = w.new_scope(outer)
    try:
        _run(w, node.for_in, node, found, state, source)
    finally:
        w.frame.scope = outer
    kind = {cst.DictComp: "dict", cst.SetComp: "set"}.get(type(node), "list")
    local = state["local"]
    if state["known"]:
        return containers.made(w, w.container(kind, found), found)
    made = w.container(kind, None, local if isinstance(local, Varying) else None)
    if kind != "set" and len(found) == 1 and not isinstance(local, Varying):
        value = found[0].items[-1] if kind == "dict" and isinstance(found[0], Tuple) else found[0]
        containers.note_added(w, made, value, beside=False)
    if isinstance(node, cst.ListComp) and len(found) == 1 and _has_one_each(node.for_in):
        parts.note_rounds(w, made, found[0])
    if node.for_in.ifs and node.for_in.inner_for_in is None:
        sifted.note(w, made, source)
    drawn_members.note_made(w, made, found)
    numbers.note_listed(w, made, found)
    if (last := state.get("source")) is not None and _is_copy(node):
        ranks.listed(w, last, made)
    return containers.made(w, made, found, state.get("source") if _takes_innermost(node) else None)


def _has_one_each(part: cst.CompFor) -> bool:
    """Whether there is one element for each iteration of one loop."""
    return not part.ifs and part.inner_for_in is None


def _takes_innermost(node: _Comp) -> bool:
    """Whether the elements are those of the innermost loop: ``{m for part in parts for m in part.modules()}``."""
    part = node.for_in
    while part.inner_for_in is not None:
        part = part.inner_for_in
    return isinstance(node, cst.SetComp) and isinstance(node.elt, cst.Name) and node.elt.deep_equals(part.target)


def _is_copy(node: _Comp) -> bool:
    """``[x for x in source]``."""
    part = node.for_in
    if isinstance(node, cst.DictComp) or part.ifs or part.inner_for_in is not None:
        return False
    return isinstance(node.elt, cst.Name) and isinstance(part.target, cst.Name) and node.elt.value == part.target.value


def _run(w: Interp, part: cst.CompFor, node: _Comp, found: list[Value], state: _State, source: Value) -> None:
    state["source"] = source
    with w.saved(around=(*w.around, iteration.entered(w, node, part.iter, source))):
        _over(w, part, node, source, found, state)


def _over(
    w: Interp,
    part: cst.CompFor,
    node: _Comp,
    source: Value,
    found: list[Value],
    state: _State,
) -> None:
    items = containers.items_of(w, members.held(w, source))
    if items is not None and len(items) <= limits.EXACT_ITERATIONS:
        for item in items:
            _taken(w, part, node, item, found, state)
        return
    state["known"] = False
    element, length = w.semantics.element_of(w, source, node)
    if length is not None:
        state["local"] = length
    generator = generators.of(w, source)
    if generator is not None and not isinstance(source, Object):
        generators.run(w, generator, node, lambda value: _taken(w, part, node, value, found, state))
        _note_local(found, state)
        return
    nodes = w.trace_of(lambda: _taken(w, part, node, element, found, state))
    if nodes:
        recording.append_loop(w, nodes, node, length)
    _note_local(found, state)


def _note_local(found: list[Value], state: _State) -> None:
    local = next((v for value in found if (v := varying_in(value)) is not None), None)
    if state["local"] is None and local is not None:
        state["local"] = filling.of_element(local)


def _taken(w: Interp, part: cst.CompFor, node: _Comp, item: Value, found: list[Value], state: _State) -> None:
    w.semantics.assign(w, part.target, item)
    _filtered(w, list(part.ifs), part, node, found, state)


def _filtered(
    w: Interp,
    tests: list[cst.CompIf],
    part: cst.CompFor,
    node: _Comp,
    found: list[Value],
    state: _State,
) -> None:
    """Go through the conditions one by one; what differs by rank parts the ranks."""
    if not tests:
        _kept(w, part, node, found, state)
        return
    test, rest = tests[0], tests[1:]
    keep = w.semantics.evaluate(w, test.test)
    known = w.truth(keep)
    if known is False:
        return
    if known is not True:
        state["known"] = False
        local = varying_in(keep)
        if local is not None:
            reason = local.reason if local.reason is Reason.FILESYSTEM else Reason.LENGTH
            state["local"] = Varying(reason, fresh("filtered"), local.trail)
        seen = w.state.narrow(keep)
        if by_rank_in(seen):
            equal = isinstance(seen, PerRank) and turns.dealt(w, seen) is not None
            state["local"] = Varying(Reason.DATA if equal else Reason.LENGTH, fresh("filtered"), trail_of(keep))
        inside: list[Value] = []

        def some() -> None:
            _filtered(w, rest, part, node, inside, state)

        w.branch(keep, test.test, node, GuardKind.COMPREHENSION, some, lambda: None)
        found += inside
        return
    _filtered(w, rest, part, node, found, state)


def _kept(w: Interp, part: cst.CompFor, node: _Comp, found: list[Value], state: _State) -> None:
    if part.inner_for_in is not None:
        inner = part.inner_for_in
        _run(w, inner, node, found, state, w.semantics.evaluate(w, inner.iter))
    elif isinstance(node, cst.DictComp):
        key = w.semantics.evaluate(w, node.key)
        found.append(Tuple((key, w.semantics.evaluate(w, node.value))))
    else:
        found.append(w.semantics.evaluate(w, node.elt))

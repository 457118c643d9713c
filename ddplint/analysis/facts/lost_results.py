"""Operations in place on a tensor that nobody holds: what they give is lost."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import PerRank
from ddplint.analysis.facts import calls
from ddplint.analysis.trace.events import Event, Walk
from ddplint.knowledge import load_knowledge
from ddplint.source.calls import called, last_part
from ddplint.source.tree import children

_IN_PLACE = frozenset({"all_reduce", "broadcast", "reduce"})
_ABOUT = frozenset({"device", "dtype", "requires_grad"})
"""Arguments that say where and how a tensor is made, not of what."""


def lost_results(walk: Walk) -> Iterator[Event]:
    """Collectives that change a tensor which was worked out in the call itself, of something that is not fixed."""
    for event in walk.doing(Effect.COLLECTIVE):
        if event.api is None or event.label not in _IN_PLACE or not event.name.startswith("torch.distributed."):
            continue
        given = event.given("tensor", 0)
        if given is None or not calls.is_dropped(event) or not _is_new(given) or not any(_made_of(given)):
            continue
        value = event.argument("tensor", 0)
        if value is not None and not isinstance(value, PerRank):  # a number that tells where each rank is: a test
            yield event


def _is_new(node: cst.BaseExpression) -> bool:
    """Whether an expression gives a tensor that no name holds, and that shares its memory with none."""
    if isinstance(node, cst.BinaryOperation):
        return True
    if not isinstance(node, cst.Call):
        return False
    knowledge = load_knowledge()
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in knowledge.quiet("hands_on"):
        return _is_new(node.func.value)
    return called(node) in knowledge.quiet("makes_anew") or last_part(node.func) in knowledge.quiet("works_out")


def _made_of(node: cst.BaseExpression) -> Iterator[str]:
    """The names that a tensor is worked out from; none where it only is there to be sent (``torch.ones(1)``)."""
    stack: list[cst.CSTNode] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, cst.Arg) and one.keyword is not None and one.keyword.value in _ABOUT:
            continue
        if isinstance(one, cst.Call):
            owner = one.func.value if isinstance(one.func, cst.Attribute) else None
            moves = owner is not None and last_part(one.func) in load_knowledge().quiet("hands_on")
            stack += () if moves else one.args  # where it is moved to says nothing
            stack += [owner] if owner is not None and not called(one).startswith("torch.") else []
        elif isinstance(one, cst.Name):
            yield one.value
        else:
            stack += children(one)

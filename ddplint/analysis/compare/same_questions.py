"""Questions that two sides ask in the same code about lists that each has filled there, in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import Container
from ddplint.analysis.trace.nodes import Choice, Nodes, every

Answers = Mapping[Symbol, bool]
Together = list[tuple[Symbol, Symbol, bool]]
"""Questions of the two sides that have one answer."""


def answered_alike(arms: tuple[Nodes, Nodes], mine: Answers, theirs: Answers) -> Iterator[Together]:
    """The answers that one side has come to, for both, then those of the other; what neither was asked yet, either way.

    ``if rank == 0: train(log)`` and ``else: train(None)``: what is asked in each round of a loop in there. Nothing
    where all that explains the difference is asked elsewhere.
    """
    pairs = list(_pairs(arms))
    if any(mine.get(a, theirs.get(b)) is not theirs.get(b, mine.get(a)) for a, b in pairs):
        for later in (True, False):
            yield [(a, b, mine.get(a, theirs.get(b, later))) for a, b in pairs]
            yield [(a, b, theirs.get(b, mine.get(a, later))) for a, b in pairs]


def _pairs(arms: tuple[Nodes, Nodes]) -> Iterator[tuple[Symbol, Symbol]]:
    """The questions of both that stand at one place of the code, in the order in which each side comes to them."""
    one, other = map(_asked_at, arms)
    for place, questions in one.items():
        for a, b in zip(questions, other.get(place, ()), strict=False):
            if a != b and _is_alike(a, b):
                yield a, b


def _asked_at(nodes: Nodes) -> dict[int, list[Symbol]]:
    """What is asked, once each, by the place where it is asked."""
    found: dict[int, list[Symbol]] = {}
    for node in every(nodes):
        if isinstance(node, Choice) and node.guard is not None:
            there = found.setdefault(id(node.guard.node), [])
            if node.symbol not in there:
                there.append(node.symbol)
    return found


def _is_alike(a: object, b: object) -> bool:
    """Whether two parts of questions are the same, but for which list or dictionary of its kind it is."""
    if a == b:
        return True
    if isinstance(a, Container):
        return isinstance(b, Container) and a.kind == b.kind
    first, second = terms.term_of(a), terms.term_of(b)
    if first is None or second is None or type(first) is not type(second):
        return False
    if isinstance(first, terms.Truth) and isinstance(second, terms.Truth):
        return _is_alike(first.of, second.of)
    pairs = zip(first.parts, second.parts, strict=False)
    return len(first.parts) == len(second.parts) and all(_is_alike(one, other) for one, other in pairs)

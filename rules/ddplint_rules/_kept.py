"""Answers about a whole walk, or about an unknown, which rules ask for at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from ddplint.rule import Symbol, Walk

Answer = TypeVar("Answer")
More = ParamSpec("More")


def kept(question: Callable[[Walk], Answer]) -> Callable[[Walk], Answer]:
    """The question, worked out once for each walk."""
    known: WeakKeyDictionary[Walk, Answer] = WeakKeyDictionary()

    def asked(walk: Walk) -> Answer:
        try:
            return known[walk]
        except KeyError:
            return known.setdefault(walk, question(walk))

    return asked


def kept_of(question: Callable[Concatenate[Symbol, More], Answer]) -> Callable[Concatenate[Symbol, More], Answer]:
    """The question about an unknown, worked out once for the same further arguments, which are given by place."""
    known: WeakKeyDictionary[Symbol, dict[tuple[object, ...], Answer]] = WeakKeyDictionary()

    def asked(what: Symbol, /, *more: More.args, **named: More.kwargs) -> Answer:
        answers = known.setdefault(what, {})
        if more not in answers:
            answers[more] = question(what, *more, **named)
        return answers[more]

    return asked

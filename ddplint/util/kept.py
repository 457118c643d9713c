"""Answers about a walk or an unknown, which rules ask for at every event."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Subject = TypeVar("Subject")
More = ParamSpec("More")
Answer = TypeVar("Answer")


def kept(question: Callable[Concatenate[Subject, More], Answer]) -> Callable[Concatenate[Subject, More], Answer]:
    """The question about a subject, worked out once for as long as that is there.

    Further arguments are given by place, and neither they nor the answer may hold the subject.
    """
    known: WeakKeyDictionary[Subject, dict[tuple[object, ...], Answer]] = WeakKeyDictionary()

    @wraps(question)
    def asked(subject: Subject, /, *more: More.args, **named: More.kwargs) -> Answer:
        answers = known.setdefault(subject, {})
        if more not in answers:
            answers[more] = question(subject, *more, **named)
        return answers[more]

    return asked

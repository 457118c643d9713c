"""Modes of a program: what it does by one of its options before it is one of several processes by another."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.facts.ranks import multiplicity
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.knowledge import rank_words
from ddplint.source.ancestry import tree_of, up_to_function
from ddplint.source.words import words_in


def is_of_another_mode(walk: Walk, event: Event) -> bool:
    """Whether a script does this by an option of its own, before what several processes do by other options.

    Both options are asked in the function where the ways to the two part. Nothing in that mode is shared out or asked
    after: who starts several for it has each do the same work.
    """
    signs = multiplicity.signs_of(walk) if walk.is_of_a_script else ()
    return bool(signs) and all(sign.order > event.order and _is_of_another(sign, event) for sign in signs)


def _is_of_another(sign: Event, event: Event) -> bool:
    """Whether each of two needs an option that the other does without; that several are started is no such option."""
    part = next((pair for pair in zip(event.stack, sign.stack, strict=False) if pair[0].node is not pair[1].node), None)
    if part is None or part[0].file is not part[1].file or part[0].function != part[1].function:
        return False
    own, theirs = _options(part[0]), _options(part[1])
    return any(one not in theirs for one in own) and any(one not in own and not _starts(one) for one in theirs)


def _options(frame: Frame) -> Sequence[cst.If]:
    """The statements around a place that ask for something."""
    above = up_to_function(tree_of(frame.file.module).ancestors(frame.node))
    return [step for step in above if isinstance(step, cst.If)]


def _starts(asked: cst.If) -> bool:
    return any(rank_words.PARALLEL.search(word.lower()) for word in words_in(asked.test))

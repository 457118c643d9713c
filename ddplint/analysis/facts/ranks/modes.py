"""Modes of a program: what it does by one of its options before it is one of several processes by another."""

from __future__ import annotations

from ddplint.analysis.facts.ranks import multiplicity
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.knowledge import rank_words


def is_of_another_mode(walk: Walk, event: Event) -> bool:
    """Whether a script does this by an option of its own, before what several processes do by other options.

    Nothing in that mode is shared out or asked after: who starts several for it has each do the same work.
    """
    signs = multiplicity.signs_of(walk)
    if not walk.is_of_a_script or not event.path or not signs:
        return False
    return all(sign.order > event.order and _is_of_another(sign, event) for sign in signs)


def _is_of_another(sign: Event, event: Event) -> bool:
    """Whether each of two needs an option that the other does without; that several are started is no such option."""
    theirs = [what for what, known in sign.path.items() if event.path.get(what) is not known]
    own = [what for what, known in event.path.items() if sign.path.get(what) is not known]
    return bool(own) and any(not uniformity.mentions(what.whole, rank_words.PARALLEL) for what in theirs)

"""How grave it is that one process of each node changes files, where the files may be those of all nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import CHANGES, Effect, Event, Severity, Value, Walk, terms
from ddplint.rule.facts import is_by_first_of_node, paths


def graded(walk: Walk, events: Sequence[Event]) -> tuple[Severity, Severity]:
    """How grave it is that the first process of each node does these, and where nothing shows jobs on several nodes.

    Data that others made, copied or unpacked on a node and removed when the job ends, is there for its processes, as a
    download is.
    """
    staged = set(_staged(walk))
    if staged and all(_serves(event, staged) for event in events):
        return Severity.ADVICE, Severity.ADVICE
    hurts = any(_hurts(walk, event) for event in events)
    return Severity.WARNING, Severity.WARNING if hurts else Severity.ADVICE


def _hurts(walk: Walk, event: Event) -> bool:
    """Whether what all ranks save together is removed: other places may be each node's own."""
    if event.effect != Effect.DELETE:
        return False
    path = event.written(0)
    given = (arg for save in walk.doing(Effect.SAVE_ALL_RANKS) if save.by_all for arg in save.args)
    return bool(path) and any(paths.path_of(arg, 0) == path for arg in given)


def _serves(event: Event, staged: set[object]) -> bool:
    """Whether an event is about what was brought; what is removed may come from a list of it."""
    base = _base(event.target)
    return base in staged or (event.effect == Effect.DELETE and _is_listed(base))


def _staged(walk: Walk) -> Iterator[object]:
    """What the paths of copies begin with that the first process of each node makes of what nobody here has written.

    Where ranks by their number in the job write as well, it is a place that all nodes see.
    """
    changes = list(walk.doing(*CHANGES))
    shared = {_base(one.target) for one in changes if not is_by_first_of_node(one)}
    made = {_base(one.target) for one in changes}
    for event in changes:
        if event.effect == Effect.COPY and is_by_first_of_node(event):
            base, source = _base(event.target), _base(event.details.get("path"))
            if base is not None and base not in shared and source is not None and source not in made:
                yield base


def _base(path: Value | None) -> object:
    """What a path begins with: an option, say; None where that is not known."""
    return next(iter(paths.pieces(path)), None) if path is not None else None


def _is_listed(base: object) -> bool:
    term = terms.term_of(base)
    return term is not None and term.is_fresh("element")

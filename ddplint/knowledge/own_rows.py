"""The tables together with what the configuration adds to them."""

from __future__ import annotations

from functools import lru_cache

from ddplint.knowledge.lookup import Knowledge, load_knowledge

_LISTS = ("collectives", "rank_predicates", "sanitizers", "rank_zero_decorators")


def knowledge_with(own: object) -> Knowledge:
    """The tables with the user's own rows.

    Parameters: ``own``, the ``knowledge`` of the settings, or ``None``.
    """
    rows = [(name, tuple(getattr(own, name, ()) or ())) for name in _LISTS]
    return _knowledge(tuple((name, values) for name, values in rows if values))


@lru_cache(maxsize=4)
def _knowledge(own: tuple[tuple[str, tuple[str, ...]], ...]) -> Knowledge:
    found = load_knowledge(())
    return found.extended(**dict(own)) if own else found

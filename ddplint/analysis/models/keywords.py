"""What calls are given by keyword: a part of what they give."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.domain import terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.provenance import is_shared
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Tuple, Unknown
from ddplint.knowledge import guesses


def named(kwargs: Kwargs) -> Iterator[Symbol]:
    """What a call is given by keyword: with another value it gives something else, as far as all see the same."""
    for key, value in sorted(kwargs.items()):
        alike = isinstance(value, (Const, Unknown, Tuple)) and is_shared(value)
        yield symbol("by keyword", key, terms.key_of(value) if alike else "something")


def with_data(kwargs: Kwargs) -> Args:
    """The keywords of a call that what it gives may hang on."""
    talks = guesses.pattern("talks")
    return [value for key, value in kwargs.items() if key not in _PLACES and not talks.search(key)]


_PLACES = frozenset({"device", "device_map", "dtype", "map_location", "non_blocking"})
"""Arguments that say where something lies and how, not what it is."""

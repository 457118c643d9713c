"""Files that are named by the elements of a collection: whether the collection is one for all ranks."""

from __future__ import annotations

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Object, Tuple, Unknown, Value
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.events import Event

_ON = frozenset({"enumerate", "list", "reversed", "sorted", "tqdm", "tuple", "zip"})
"""What yields the elements of what it is given."""
_HANDLE = "io.TextIOWrapper"


def is_one_of_many(event: Event) -> bool:
    """Whether a call writes what a collection that is not known names, perhaps the rank's own."""
    target = event.target
    if event.effect not in (Effect.WRITE, Effect.APPEND) or not paths.is_an_element(target):
        return False
    sources = [loop.source for loop in event.loops if loop.source is not None]
    return not sources or not paths.is_named_by_elements(target) or not all(map(_is_of_all, sources))


def _is_of_all(source: Value) -> bool:
    """Whether a loop goes over what all ranks have alike: a range, or what the settings of the run hold."""
    if isinstance(source, Object):
        ranges = source.name == "builtins.range"
        if source.name == _HANDLE:
            return _is_read_alike(source)
        on = source.name.rpartition(".")[2] in _ON
        return uniformity.same_for_all(source) and (
            ranges or (on and bool(source.args) and all(map(_is_of_all, source.args)))
        )
    if isinstance(source, Tuple):
        return uniformity.same_for_all(source)
    held = source.symbol if isinstance(source, Unknown) else None
    if _is_read_alike(held):
        return uniformity.same_for_all(source) and not paths.holds(held, "batch", "output")
    if not isinstance(held, (terms.Attr, terms.Item)) or not uniformity.same_for_all(source):
        return False
    return not paths.is_given(held) and not paths.holds(held, "batch", "element", "output") and _is_setting(held)


def _is_read_alike(what: object, depth: int = 8) -> bool:
    """Whether something stands in a file that all ranks open by one name, which no caller chose."""
    if isinstance(what, Object):
        path = what.argument(0, "file") if what.name == _HANDLE else None
        return path is not None and uniformity.same_for_all(path) and not paths.is_named_by_caller(path)
    term = terms.term_of(what)
    if not isinstance(term, (terms.Attr, terms.Call, terms.Item, terms.Method)):
        return False
    return depth > 0 and any(_is_read_alike(part, depth - 1) for part in term.parts)


def _is_setting(held: object) -> bool:
    """Whether something is in what a call gave, or a parameter for settings: no object of which anything is known."""
    term = terms.term_of(held)
    while isinstance(term, (terms.Attr, terms.Item)):
        term = terms.term_of(next(iter(term.parts), None))
    return isinstance(term, (terms.Applied, terms.Call, terms.Parameter))

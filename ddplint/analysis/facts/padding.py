"""Tensors as long as the longest text of a rank's own batch: each rank pads its batch for itself."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import CUT
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import NONE, Const, Either, Value, Varying
from ddplint.analysis.memory import filling, numbers
from ddplint.analysis.trace.events import Event
from ddplint.knowledge import load_knowledge
from ddplint.source.calls import argument, calls_in
from ddplint.source.file import SourceFile
from ddplint.source.words import words_of
from ddplint.util.kept import kept

_DEPTH = 12
_KEEP = frozenset(
    {"clone", "contiguous", "cpu", "cuda", "detach", "float", "int", "log_softmax", "long", "softmax", "to"}
)
_ALIKE = frozenset({"pad_to_max_length", "group_texts", "block_size"})
"""Names by which a program says that all texts are brought to one length."""


def is_padded_by_itself(event: Event, value: Value | None) -> bool:
    """Whether what is handed to a call has a dimension of tokens, which only the longest text of its batch bounds."""
    if _brings_to_one_length(event.file):
        return False
    if isinstance(value, Either):
        return is_padded_by_itself(event, value.yes) or is_padded_by_itself(event, value.no)
    if not isinstance(value, Varying) or value.reason is not Reason.DATA:
        return False
    columns = event.name.startswith("accelerate.")  # elsewhere texts are gathered that have one length
    return _has_tokens(value.symbol, columns, 0, _DEPTH)


@kept
def _brings_to_one_length(file: SourceFile) -> bool:
    padded = (argument(call, "padding", None) for call in calls_in(file.module))
    known = (one.evaluated_value for one in padded if isinstance(one, cst.SimpleString))
    return not words_of(file).isdisjoint(_ALIKE) or "max_length" in known


def stacked_unevenly(value: Value | None) -> Varying | None:
    """A tensor that is made of parts of which each rank has as many as its own data says; ``None`` for all others."""
    if isinstance(value, Either):
        return stacked_unevenly(value.yes) or stacked_unevenly(value.no)
    return value if isinstance(value, Varying) and filling.is_stacked(value) else None


def selected_by_each(value: Value | None) -> Varying | None:
    """A tensor of the elements that a mask selects on each rank, or one put together of such; ``None`` for others."""
    if isinstance(value, Either):
        return selected_by_each(value.yes) or selected_by_each(value.no)
    return value if isinstance(value, Varying) and numbers.is_selected(value) else None


def shaped_by_each(value: Value | None) -> Varying | None:
    """A tensor with a dimension that each rank's own data decides; ``None`` where that is not sure on all ways to it.

    It holds the elements that a mask selects, or the texts that a model makes, each as long as it makes it; so do what
    keeps the shape and what goes from some element to the end.
    """
    if isinstance(value, Either):
        found = [shaped_by_each(way) for way in alternatives(value) if way != NONE]  # nobody can hand None over
        return found[0] if found and None not in found else None
    if not isinstance(value, Varying) or value.reason is not Reason.DATA:
        return None
    return value if _is_shaped_by_each(value.symbol, _DEPTH) else None


def _is_shaped_by_each(what: Symbol, depth: int) -> bool:
    made, inner = what.whole, None
    if isinstance(made, terms.Selected):
        return True
    if isinstance(made, terms.Called) and made.last_name == "generate":
        return _stops_by_itself(made)
    if isinstance(made, terms.Method) and made.name in _KEEP:
        inner = made.receiver
    elif (isinstance(made, terms.Slice) and made.bounds[1:2] == (NONE,)) or (
        isinstance(made, terms.Item) and all(_to_the_end(one) for one in made.indices)
    ):
        inner = made.base
    return isinstance(inner, Symbol) and depth > 0 and _is_shaped_by_each(inner, depth - 1)


def _stops_by_itself(made: terms.Called) -> bool:
    """Whether a method makes texts, each as long as the model makes it."""
    named = set(map(str, made.keywords))
    return not named.isdisjoint({"**", *_OF_TEXTS}) and named.isdisjoint(_AT_LEAST)


def _to_the_end(index: object) -> bool:
    """Whether an index is a slice that goes to the end, which is elsewhere for each length."""
    cut = _cut(index)
    return bool(cut) and cut[-1] is None


def _has_tokens(what: Symbol, columns: bool, shifted: int, depth: int) -> bool:
    """Whether a tensor is one of tokens: a column of those, or shifted along them as only what has tokens is.

    ``shifted``: how many dimensions the tensor has that was shifted along its second one.
    """
    made, inner = what.whole, None
    if isinstance(made, terms.Method) and (made.name in _KEEP or (made.name == "argmax" and Const(-1) in made.args)):
        inner = made.receiver
    elif isinstance(made, terms.Item) and _is_column(made):
        return shifted == 2 if made.index == _LABELS else columns and made.index in _TOKENS
    elif isinstance(made, terms.Item):
        cuts = [cut for one in made.indices if one != Const(...) and (cut := _cut(one))[:1] != (0,)]
        if any(cut not in _SHIFTS for cut in cuts):
            return False
        inner, shifted = made.base, _SHIFTS[cuts[0]] if cuts else shifted
    elif isinstance(made, terms.Attr) and shifted == 3:
        return made.name == "logits"
    return isinstance(inner, Symbol) and depth > 0 and _has_tokens(inner, columns, shifted, depth - 1)


def _is_column(item: terms.Item) -> bool:
    return len(item.indices) == 1 and isinstance(item.index, Const) and isinstance(item.index.value, str)


_LABELS = Const("labels")
_OF_TEXTS = load_knowledge().quiet("of_texts")
_AT_LEAST = frozenset({"min_length", "min_new_tokens"})
_TOKENS = frozenset(Const(name) for name in load_knowledge().quiet("of_tokens"))

_SHIFTS = {(1, of, *bounds): of for of in (2, 3) for bounds in ((None, -1), (1, None))}
"""Along the second dimension of so many all but the last token, or all but the first."""


def _cut(part: object) -> tuple[object, ...]:
    """What a slice cuts off; empty where it is something else."""
    value = part.value if isinstance(part, Const) else None
    return value[1:] if isinstance(value, tuple) and value[:1] == (CUT,) else ()

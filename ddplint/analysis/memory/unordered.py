"""Sets whose order differs from process to process: of texts, whose hashes are salted, or of objects, by address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import Const, Container, Object, Unknown, Value

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker

_HAND_OUT = frozenset({"children", "modules", "named_children", "named_modules", "named_parameters", "parameters"})
"""Methods of modules that give modules, parameters, or texts beside them."""
_ON = frozenset({"enumerate", "iter", "list", "tqdm", "tuple", "zip"})
"""What hands on the elements of its first argument in the order in which it gets them."""


def made(w: Walker, found: Container, items: Sequence[Value] | None, source: Value | None = None) -> Container:
    """A set or list was made of some elements, or of those of ``source``; itself, for the caller's convenience."""
    texts = any(isinstance(item, Const) and isinstance(item.value, str) for item in items or ())
    if (found.kind == "set" and (texts or _hands_out(source))) or is_iterated(w, source):
        w.marks.add(("unordered", found.id))
    return found


def _hands_out(source: Value | None) -> bool:
    key = source.symbol.key if isinstance(source, Unknown) else ()
    return key[:1] == ("method",) and key[1] in _HAND_OUT


def is_iterated(w: Walker, source: Value | None) -> bool:
    """Whether a loop goes through such a set, in the order that it has."""
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in _ON:
        source = source.args[0]
    return isinstance(source, Container) and ("unordered", source.id) in w.marks

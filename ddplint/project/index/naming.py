"""Which functions of a project name an attribute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddplint.project.index.files import Files
    from ddplint.project.index.records import FunctionRecord
    from ddplint.project.index.units import Function


class Naming:
    """Functions by the attributes that stand in them, also as a short text (``getattr(model, "cache")``)."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def functions(self, attribute: str) -> Set[Function]:
        """All functions, and bodies of files, in which an attribute stands: who reads it and who sets it."""
        return self._by_attribute.get(attribute, frozenset())

    @cached_property
    def _by_attribute(self) -> Mapping[str, Set[Function]]:
        found: dict[str, set[Function]] = defaultdict(set)
        for unit in self._files.every():
            for one in (one for many in unit.functions.values() for one in many):
                for attribute in _attributes(one.record):
                    found[attribute].add(one)
        return found


def _attributes(record: FunctionRecord) -> Iterator[str]:
    texts = [*record.reads, *record.decorators, *record.returned, *record.summed, *record.divided]
    texts += [text for pair in (*record.assigned, *record.compared) for text in pair]
    for call in record.calls:
        texts += [call.callee, *call.given, *(text for pair in call.named for text in pair)]
    for text in texts:
        yield from (word[1:] for word in text.split(" ") if word[:1] in (".", "'", "["))

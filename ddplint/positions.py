"""Where nodes are in the text. Costs about as much as parsing, so it is done only for files with something to report."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ddplint.source import Range

__all__ = ["positions_of"]


def positions_of(module: cst.Module, text: str) -> Mapping[cst.CSTNode, Range]:
    """The range of every node of ``module``, whose text is ``text``."""
    ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    return {node: _range(place) for node, place in ranges.items() if isinstance(place, CodeRange)}


def _range(place: CodeRange) -> Range:
    return Range(place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)

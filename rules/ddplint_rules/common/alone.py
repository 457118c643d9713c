"""Helpers that communicate where there is a group, and go on without one: they are no sign of several processes."""

from __future__ import annotations

import re

import libcst as cst

from ddplint.rule import Event, Frame
from ddplint.source.ancestry import tree_of

__all__ = ["may_be_skipped"]

_ASKS = re.compile(
    r"\b(?:is_initialized|is_available|is_distributed|is_dist\w*|use_dist\w*|(?:get_)?world_size|num_gpus|n_gpus?)\b"
)
"""How a helper asks whether there is anybody to talk to."""


def may_be_skipped(sign: Event) -> bool:
    """Whether a function on the way to a collective asks for the group, or for the number of processes, before it."""
    return any(_asks_first(frame) for frame in sign.stack)


def _asks_first(frame: Frame) -> bool:
    tree = tree_of(frame.file.module)
    function = tree.function(frame.node) if frame.node in tree else None
    if not isinstance(function, cst.FunctionDef):
        return False
    tests = (node.test for node in tree.ancestors(frame.node) if isinstance(node, (cst.If, cst.IfExp)))
    lines = [
        line for line in function.body.body if isinstance(line, cst.If) and tree.order(line) < tree.order(frame.node)
    ]
    asked = [*tests, *(line.test for line in lines)]
    return any(_ASKS.search(frame.file.module.code_for_node(test)) is not None for test in asked)

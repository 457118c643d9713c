"""What the other ranks still need, where rank 0 alone does a thing: the file on their own node, the run they log to."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.rule import Effect, Event, Walk
from ddplint.rule.code import Site, depends_on_rank, nodes_of

_OF_A_RUN = frozenset({"config", "run", "summary"})
"""What is asked of an experiment's run without a call; the calls are in the tables (``begun_by``)."""


def is_needed_on_every_node(event: Event, walks: Sequence[Walk]) -> bool:
    """Whether ranks read back what is made: where each node has a disk of its own, they only find it if one of theirs
    made it. That is so of all that is downloaded.
    """
    if event.effect == Effect.DOWNLOAD:
        return True
    made = event.written(min(event.ranks))
    return bool(made) and any(
        other.effect == Effect.READ
        and other.by_all
        and other.order > event.order
        and made == other.looked_at(min(other.ranks))
        for walk in walks
        if event in walk.events
        for other in walk.events
    )


def run_is_used(site: Site, event: Event) -> bool:
    """Whether the file asks something of the run that a tracker's event starts, on ranks that may not have one."""
    root = event.name.partition(".")[0]
    asked = nodes_of(site.file.module, cst.Attribute)
    names = {f"{root}.{part}" for part in _OF_A_RUN}
    return any(site.qualified(node) in names and not _is_left_to_some(site, node) for node in asked)


def _is_left_to_some(site: Site, node: cst.CSTNode) -> bool:
    for below, step in site.tree.upward(node):
        if isinstance(step, cst.If) and below is step.body and depends_on_rank(site, step.test):
            return True
    return False

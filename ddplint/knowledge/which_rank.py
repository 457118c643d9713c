"""Which rank, of the job or a part of it, a row gives or asks for: one answer for the walk and for the fixes."""

from __future__ import annotations

from ddplint.knowledge.rows import Api

_GLOBAL = frozenset(
    "get_rank rank global_rank get_global_rank process_index get_world_rank world_rank get_ordinal global_ordinal "
    "host_id".split()
)
_NODE = frozenset({"node_rank", "get_node_rank", "cross_rank"})
_OF_SOME = ("DeviceMesh", "ProcessSet")
_PARTIAL = (
    "stage",
    "pipeline",
    "parallel",
    "embedding",
    "included",
    "expert",
    "use_distributed",
    "sync_gradients",
    "group",
)


def kind_of_source(row: Api) -> str:
    """Which rank a ``rank_source`` row gives: ``global``, ``local``, ``node``, or ``""`` for a part of the world."""
    last = row.name.rpartition(".")[2].lower()
    of_some = any(owner in row.name for owner in _OF_SOME)
    if last in _GLOBAL:
        return "" if of_some else "global"
    if "local" in last and ("rank" in last or "index" in last or "ordinal" in last):
        return "" if of_some else "local"
    return "node" if last in _NODE else ""


def kind_of_predicate(row: Api, *, per_node: bool = True) -> str:
    """Which ranks a ``rank_predicate`` row is true on: ``main``, ``local``, ``last``, or ``""`` where not known.

    ``per_node``: what the argument says of a predicate that asks for either (once per host unless told otherwise).
    """
    if row.gives:
        return row.gives[0]
    last = row.name.rpartition(".")[2].lower()
    if last == "is_master_ordinal":
        return "local" if per_node else "main"
    if any(part in last for part in _PARTIAL):
        return ""
    if "last" in last:
        return "last"
    if "local" in last or "node" in last:
        return "local"
    return "main"

"""What fails on all ranks or on none."""

from __future__ import annotations

from ddplint.analysis.trace.nodes import Loop, Nodes, Op, every


def fail_alike(nodes: Nodes) -> bool:
    """Whether a body fails on all ranks: it only waits, so that there is no group, or is one operation of all."""
    operations = [inner for inner in every(nodes) if isinstance(inner, Op)]
    if all(inner.kind in ("barrier", "init") for inner in operations):
        return True
    return len(operations) == 1 and not any(isinstance(inner, Loop) for inner in every(nodes))

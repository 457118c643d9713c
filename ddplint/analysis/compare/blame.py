"""Whose fault a difference is: one split's own, or that of another that was met on the way.

Two sides that part at one place and pair up again may yet differ further on, where they part at another place. That
other place is reported for itself; the first has done nothing wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.analysis.compare.automaton import Continuation
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.trace.events import Divergence
from ddplint.analysis.trace.nodes import Local, Node, Nodes, Split, every, parts

Fault = tuple[int, Reason]
"""A place where ranks part, and why: the node of its condition (by identity)."""


def fault_of(node: Node | Divergence) -> Fault | None:
    """The place that a node of the trace, or a divergence, stands for."""
    guard = getattr(node, "guard", None)
    return None if guard is None else (id(guard.node), guard.reason)


class BlameIndex:
    """Finds the splits in whose arms a place of a trace lies."""

    def __init__(self, trace: Nodes) -> None:
        parting = [node for node in every(trace) if isinstance(node, (Split, Local))]
        self._owners = {id(nodes): node for node in parting for nodes in parts(node) if nodes}

    def around(self, cont: Continuation | None) -> Iterator[Split | Local]:
        """The splits in whose arms ``cont`` lies, the innermost first."""
        while cont is not None:
            node = self._owners.get(id(cont.nodes))
            if node is not None:
                yield node
            cont = cont.parent

    def others(self, cont: Continuation | None, parting: Node | None, pair: tuple[int, int]) -> frozenset[Fault]:
        """The places other than ``parting`` in whose arms ``cont`` lies, where the two ranks go different ways.

        Empty where it lies in an arm of ``parting``, for then the difference is that one's own.
        """
        own = fault_of(parting) if parting is not None else None
        found: set[Fault] = set()
        for node in self.around(cont):
            fault = fault_of(node)
            if fault is not None and fault == own:
                return frozenset()
            if fault is not None and _parts(node, pair):
                found.add(fault)
        return frozenset(found)

    def is_parted(self, cont: Continuation | None, pair: tuple[int, int]) -> bool:
        """Whether a place lies where only one of two ranks gets to."""
        return any(_parts(node, pair) for node in self.around(cont))


def _parts(node: Split | Local, pair: tuple[int, int]) -> bool:
    if isinstance(node, Local):
        return pair[0] == pair[1]
    return not any(mask >> pair[0] & 1 and mask >> pair[1] & 1 for mask, _ in node.arms)

"""A place of the program against all numbers of the evidence: operation, elements, group."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ddplint.findings.model import Finding, Operation
from ddplint.job.triage.facts import Wait
from ddplint.job.triage.places.wire import Wire, plain, wires_of

_WORLD = "default_pg"
_OTHER = re.compile(r"[^\d\s]\S* \S+")
_KIND, _EXACT = 3, 2


@dataclass(frozen=True)
class Weighed:
    """What numbers say of a place: ``score`` and why, or what rules it out (``against``, else empty)."""

    score: int = 0
    because: tuple[str, ...] = ()
    against: str = ""


def weighed(finding: Finding, waits: Iterable[Wait]) -> Weighed:
    """Hold what ranks do at a place against what ranks waited in.

    It is ruled out where every wait has its operation, every communication of the place is known, and none of
    these may be any of those.
    """
    told = [wait for wait in waits if wait.op]
    known = [action.operation for action in finding.actions if action.operation is not None]
    wires = [(operation, wires_of(operation)) for operation in known]
    fitting = {wait: [wire for operation, some in wires for wire in _admitted(operation, some, wait)] for wait in told}
    because = [_said(wait, found) for wait, found in fitting.items() if found]
    if because:
        exact = any(wire.most is not None for found in fitting.values() for wire in found)
        return Weighed(_KIND + (_EXACT if exact else 0), tuple(dict.fromkeys(because))[:2])
    if told and wires and all(some is not None for _, some in wires):
        return Weighed(0, (), f"it is no {_spelled(told[0])}, in which {_who(told[0])} waited")
    return Weighed()


def _admitted(operation: Operation, wires: tuple[Wire, ...] | None, wait: Wait) -> list[Wire]:
    """The operations of the program that may be what is waited in."""
    world = _is_world(wait.group)
    if wires is None or (world is not None and operation.world is not None and world != operation.world):
        return []
    return [wire for wire in wires if wire.admits(plain(wait.op), wait.elements)]


def _is_world(group: str) -> bool | None:
    """Whether a group is that of all ranks, as far as its name says: what has a name of its own is another."""
    if _WORLD in group or group == "all ranks":
        return True
    return False if _OTHER.fullmatch(group) else None


def _said(wait: Wait, found: list[Wire]) -> str:
    return f"an operation of the kind that timed out ({_spelled(wait)}) is part of it"


def _spelled(wait: Wait) -> str:
    size = "" if wait.elements is None else f" of {wait.elements:,} element{'' if wait.elements == 1 else 's'}"
    return f"{wait.op.lower()}{size}"


def _who(wait: Wait) -> str:
    return "a rank" if wait.rank is None else f"rank {wait.rank}"

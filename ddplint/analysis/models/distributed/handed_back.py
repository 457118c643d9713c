"""Who was given nothing to wrap: ``accelerator.prepare`` hands a dict of modules back as it is.

Then no pass of what it was given communicates, whatever it is called through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from ddplint.analysis.domain.arguments import Args
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import NONE, Container, Object, Tuple, Value, unknown
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.models.distributed import learned
from ddplint.analysis.trace.events import Frame
from ddplint.knowledge import Api

_HOLDERS = frozenset({"builtins.dict", "types.SimpleNamespace"})


@dataclass(slots=True)
class Prepared(Record):
    """Makers by what they were given: ``holding`` were given something that only holds modules, ``wrapping`` what is,
    or may be, a module."""

    life = Life.FILE
    holding: dict[int, Frame] = field(default_factory=dict)
    wrapping: set[int] = field(default_factory=set)


def is_held(w: Interp, value: Value) -> bool:
    """Whether a value is a holder of other things: modules in it are not wrapped with it."""
    if isinstance(value, Object):
        return bool(_HOLDERS.intersection(w.knowledge.bases(value.name)))
    return isinstance(value, (Container, Tuple))


def note(w: Interp, maker: Value | None, node: cst.CSTNode, *, holder: bool = False, model: bool = False) -> None:
    """Keep what a maker was given: a ``holder``, or what is or may be a ``model``."""
    if maker is None:
        return
    record = w.record(Prepared)
    if model:
        record.wrapping.add(w.owner(maker))
    elif holder:
        record.holding.setdefault(w.owner(maker), w.here(node))


def trains_nothing_wrapped(w: Interp, row: Api, maker: Value | None) -> bool:
    """Whether a backward pass is one of models that were never wrapped."""
    if maker is None or not row.name.endswith(".backward"):
        return False
    record, key = w.record(Prepared), w.owner(maker)
    return key in record.holding and key not in record.wrapping


def backward(w: Interp, row: Api, args: Args, node: cst.CSTNode, maker: Value) -> Value:
    """A backward pass of such models: each rank keeps its gradients for itself."""
    w.emit(
        row,
        Effect.BACKWARD,
        node,
        args=args,
        receiver=args[0] if args else NONE,
        label="backward",
        details={"wrapped": None, "no_sync": False, "handed_back": w.record(Prepared).holding[w.owner(maker)]},
    )
    learned.note_loss(w, args[0] if args else None, node)
    return NONE


def with_others(w: Interp, made: Sequence[Value], node: cst.CSTNode) -> Tuple:
    """What comes back where nobody knows how many were given: as many as the statement takes, or one more."""
    above = w.frame.module.file.ancestors(node)
    targets = (one.target for step in above if isinstance(step, cst.Assign) for one in step.targets)
    taken = next((one.elements for one in targets if isinstance(one, cst.Tuple)), None)
    if taken is None or any(isinstance(one, cst.StarredElement) for one in taken):
        return Tuple((*made, unknown("prepared")))
    more = (unknown("prepared") for _ in range(len(taken) - len(made)))
    return Tuple((*made, *more)[: len(taken)])

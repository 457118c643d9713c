"""The loops over batches that every rank runs together, known by what happens in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Container, Effect, Event, LoopFrame, Reason, Tuple, Value, Walk
from ddplint.rule.code import Site, descend
from ddplint.rule.facts import SAMPLER, around

_STEPS = frozenset({Effect.OPTIMIZER_STEP, Effect.STEP})
_MET = frozenset({Effect.BACKWARD, Effect.COLLECTIVE, *_STEPS})
_GATHERS = "torch.distributed.all_"


@dataclass(frozen=True, eq=False)
class BatchLoop:
    """A loop over batches, and the operation that shows it to be one."""

    loop: LoopFrame
    event: Event

    @property
    def site(self) -> Site:
        """The loop as a place for code."""
        return Site(self.loop.file, self.loop.node)


def batch_loops(walks: Sequence[Walk]) -> Iterator[BatchLoop]:
    """The loops in which all ranks compute gradients, step an optimizer or communicate; each loop once.

    A loop over something that is not known to be a loader must hold a backward pass and a step: it may go through
    parameters, or losses. Where the ranks are meant to have unequal numbers of batches (``Join``) nothing is compared.
    """
    done: set[int] = set()
    for walk in walks:
        stepping = {id(loop.node) for event in walk.events if event.effect in _STEPS for loop in event.loops}
        for event in filter(_is_met, walk.events):
            loop = _over_batches(event)
            if loop is None or id(loop.node) in done or _joined(event):
                continue
            if _is_loader(loop.source) or (event.effect == Effect.BACKWARD and id(loop.node) in stepping):
                done.add(id(loop.node))
                yield BatchLoop(loop, event)


def _is_met(event: Event) -> bool:
    """Whether all ranks come to a step of training or communication."""
    everyone = event.by_all
    return event.effect in _MET and everyone and all(guard.reason is not Reason.IDENTITY for guard in event.guards)


def _over_batches(event: Event) -> LoopFrame | None:
    """The loop over batches around an event: the outermost over a loader, else the one right inside the epochs."""
    loops = [loop for loop in event.loops if isinstance(loop.node, (cst.For, cst.While))]
    data = [loop for loop in loops if isinstance(loop.node, cst.For) and not _counts(loop.source)]
    known = next((loop for loop in data if _is_loader(loop.source)), None)
    if known is not None or not data:
        return known
    first = [loop for place, loop in enumerate(loops) if loop in data and (not place or loops[place - 1] not in data)]
    return first[-1]


def _counts(source: Value | None) -> bool:
    """Whether a loop only counts, or goes through things that are written out."""
    if isinstance(source, (Tuple, Container, Const)):
        return True
    return any(found.name == "builtins.range" for found in around(source))


def _is_loader(source: Value | None) -> bool:
    return any(found.name == SAMPLER or found.name.rpartition(".")[2] == "DataLoader" for found in around(source))


def _joined(event: Event) -> bool:
    """Whether a ``with Join(...)`` (or ``model.join()``) is around an event, here or in a caller."""
    for frame in event.stack:
        site = Site(frame.file, frame.node)
        for step in site.tree.ancestors(frame.node) if frame.node in site.tree else ():
            if isinstance(step, cst.With) and any(_is_join(item.item) for item in step.items):
                return True
    return False


def _is_join(item: cst.BaseExpression) -> bool:
    called = item.func if isinstance(item, cst.Call) else item
    name = called.attr if isinstance(called, cst.Attribute) else called
    return isinstance(name, cst.Name) and name.value in ("Join", "join")


def is_compared(found: BatchLoop, walks: Sequence[Walk]) -> bool:
    """Whether the ranks gather something right after a loop, in code that can raise: the check that is to be inserted.

    "Right after" ends at the next loop.
    """
    site = found.site
    block = getattr(site.tree.block(found.loop.node), "body", ())
    below: list[cst.CSTNode] = []
    for statement in block[list(block).index(found.loop.node) + 1 :] if found.loop.node in block else ():
        if isinstance(statement, (cst.For, cst.While)):
            break
        below.append(statement)
    return any(_compares(site, below, event) for walk in walks for event in walk.events)


def _compares(site: Site, below: Sequence[cst.CSTNode], event: Event) -> bool:
    if not event.name.startswith(_GATHERS):
        return False
    under = [frame for frame in event.stack if frame.file is site.file and frame.node in site.tree]
    if not any(site.tree.contains(one, frame.node) for one in below for frame in under):
        return False
    last = event.stack[-1]
    inner = Site(last.file, last.node).function
    inline = inner is site.function and last.file is site.file
    where = below if inline or inner is None else [inner]
    return any(isinstance(node, cst.Raise) for one in where for node in descend(one))

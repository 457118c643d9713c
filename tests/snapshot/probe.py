"""Looks over the shoulder of the walk: what each entry came to, as digests, and what it cost.

The engine has no use for this, so it is hooked in from outside; this module is the only one that knows where.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ddplint.analysis.compare.search import Comparison
from ddplint.analysis.entry import one_walk, select
from ddplint.analysis.trace.events import Divergence, Event, Side
from ddplint.analysis.trace.nodes import Exit, Loop, Node, Nodes, Op, Opaque, Split, every, parts

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.trace.events import Walk
    from ddplint.source.file import SourceFile

__all__ = ["Probe"]


class Probe:
    """Notes the entries that are walked inside of ``with``, in their order."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._undo: list[tuple[object, str, object]] = []
        self._trace: Nodes = []
        self._compared = 0

    def __enter__(self) -> Probe:
        self._hook(one_walk, "compare", self._comparing)
        self._hook(Comparison, "run", self._counting)
        self._hook(select._Entries, "_walk", self._walking)
        return self

    def __exit__(self, *_: object) -> None:
        for owner, name, original in self._undo:
            setattr(owner, name, original)

    def _hook(self, owner: object, name: str, around: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        self._undo.append((owner, name, original))
        setattr(owner, name, around(original))

    def _comparing(self, compare: Callable[[Nodes], Any]) -> Callable[[Nodes], Any]:
        def compared(trace: Nodes) -> Any:
            self._trace = trace
            return compare(trace)

        return compared

    def _counting(self, run: Callable[[Comparison], Any]) -> Callable[[Comparison], Any]:
        def counted(comparison: Comparison) -> Any:
            found = run(comparison)
            self._compared += comparison.effort.spent + comparison.witness.steps
            return found

        return counted

    def _walking(self, walk: Callable[..., None]) -> Callable[..., None]:
        def walked(these: Any, *args: Any, **more: Any) -> None:
            self._trace, self._compared = [], 0
            walk(these, *args, **more)
            self.entries.append(self._record(these.walks[-1], these.w.steps))
            self._trace = []

        return walked

    def _record(self, walk: Walk, steps: int) -> dict[str, Any]:
        nodes = list(every(self._trace))
        return {
            "file": walk.file.path,
            "entry": walk.entry,
            "events": [len(walk.events), _digest(map(_event, walk.events))],
            "divergences": [len(walk.divergences), _digest(map(_divergence, walk.divergences))],
            "trace": [len(nodes), _digest(_shape(self._trace))],
            "limits": walk.limits,
            "steps": steps,
            "compared": self._compared,
        }


def _digest(parts_: Iterable[object]) -> str:
    made = hashlib.sha256()
    for part in parts_:
        made.update(f"{part}\n".encode("utf-8", "surrogatepass"))
    return made.hexdigest()[:16]


def _at(file: SourceFile, node: cst.CSTNode | None) -> object:
    if node is None:
        return file.path
    span = file.range_of(node)
    return file.path, span.start_line, span.start_col


def _event(event: Event) -> object:
    """What an event says, without the names of unknown values: those count what was made before them."""
    return (
        (event.name, str(event.effect), event.group, event.label, _at(event.file, event.node)),
        (sorted(event.ranks), sorted(event.everyone), len(event.path), len(event.together), len(event.loops)),
        [_at(frame.file, frame.node) for frame in event.stack],
        [(str(guard.kind), guard.reason.value, guard.guess, _at(guard.file, guard.node)) for guard in event.guards],
        [type(value).__name__ for value in (*event.args, event.receiver, event.result)],
        {name: type(value).__name__ for name, value in event.kwargs.items()},
        sorted(event.details),
    )


def _divergence(one: Divergence) -> object:
    guard = one.guard
    return (
        (str(one.kind), one.doubtful, str(guard.kind), guard.reason.value, guard.guess, _at(guard.file, guard.node)),
        [(origin.text, _at(origin.file, origin.node)) for origin in guard.origins],
        [_side(side) for side in one.sides],
        [frame and _at(frame.file, frame.node) for frame in (one.anchor, *one.others, one.leaving)],
    )


def _side(side: Side) -> object:
    return side.ranks, side.label, None if side.event is None else _event(side.event)


def _shape(nodes: Nodes) -> Iterable[object]:
    yield "["
    for node in nodes:
        yield type(node).__name__, _own(node)
        for part in parts(node):
            yield from _shape(part)
    yield "]"


def _own(node: Node) -> object:
    if isinstance(node, Op):
        return node.kind, node.group, node.members
    if isinstance(node, Opaque):
        return node.name, node.mask, node.model
    if isinstance(node, Split):
        return [mask for mask, _ in node.arms]
    if isinstance(node, Loop):
        return node.exact, node.local, node.endless, node.mask
    return (str(node.kind) if isinstance(node, Exit) else None), getattr(node, "mask", None)

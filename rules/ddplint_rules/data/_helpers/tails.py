"""Incomplete last batches that a program seems not to want, and keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Event, External, Instance, Object, Walk
from ddplint.rule.code import Site, argument, starred

_DROP = "drop_last"


@dataclass(frozen=True, eq=False)
class Tail:
    """``event`` makes a loader or batch sampler without ``drop_last``."""

    event: Event
    text: str


def tails(walk: Walk) -> Iterator[Tail]:
    """Loaders over streams that drop their tail, and batch samplers of the project that could."""
    for event in walk.events:
        if event.call is None or starred(event.call) or _DROP in event.kwargs:
            continue
        if event.effect == Effect.LOADER and event.name.rpartition(".")[2] == "DataLoader":
            if _is_dropped_inside(event):
                yield Tail(event, "the data set drops its tail, but the loader keeps each worker's incomplete batch")
        elif event.effect == Effect.SAMPLER and _is_batch_sampler(event) and _over_random(event):
            text = f"{event.name} keeps its incomplete last batch, which then falls to some of the ranks only"
            yield Tail(event, text)


def _is_dropped_inside(event: Event) -> bool:
    """Whether the stream in a loader of batches is given ``drop_last``, other than ``False``."""
    assert event.call is not None
    site = Site(event.file, event.node)
    data = argument(event.call, "dataset", 0)
    if isinstance(data, cst.Name):
        values = site.values_of(data)
        data = values[0] if len(values) == 1 else None
    seen = event.args[0] if event.args else event.kwargs.get("dataset")
    if not isinstance(data, cst.Call) or not _is_stream(seen) or event.kwargs.keys() & {"sampler", "batch_sampler"}:
        return False
    given = argument(data, _DROP, None)
    on = given is not None and not (isinstance(given, cst.Name) and given.value in ("False", "None"))
    return on and event.kwargs.get("batch_size", Const(None)) != Const(None)


def _is_stream(value: object) -> bool:
    """Whether a data set is iterated over, so that only the loader makes batches of it."""
    if isinstance(value, Instance):
        return any(name.endswith("IterableDataset") for name in _kinds(value))
    return isinstance(value, Object) and value.name.endswith("IterableDataset")


def _kinds(made: Instance) -> tuple[str, ...]:
    return (made.cls.name, *(base.name for base in made.cls.bases if isinstance(base, External)))


def _is_batch_sampler(event: Event) -> bool:
    """Whether a class of the project makes batches and has a ``drop_last`` that is off unless it is given."""
    made = event.result
    if not isinstance(made, Instance) or not any(name.endswith("BatchSampler") for name in _kinds(made)):
        return False
    for step in made.cls.node.body.body:
        if isinstance(step, cst.FunctionDef) and step.name.value == "__init__":
            params = (*step.params.params, *step.params.kwonly_params)
            return any(
                param.name.value == _DROP and isinstance(param.default, cst.Name) and param.default.value == "False"
                for param in params
            )
    return False


def _over_random(event: Event) -> bool:
    """Whether the samples come in random order, as in training."""
    inner = event.args[0] if event.args else event.kwargs.get("sampler")
    return isinstance(inner, Object) and inner.name.rpartition(".")[2] == "RandomSampler"

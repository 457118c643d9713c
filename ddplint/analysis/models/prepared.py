"""What ``accelerator.prepare`` is given: models, and loaders that communicate before their first element."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import NONE, TRUE, Const, Container, Object, Tuple, Unknown, Value, Varying
from ddplint.analysis.models import loaders

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker
    from ddplint.knowledge import Api

_SHARD = "accelerate.data_loader.DataLoaderShard"
_STATES = "rng_types"
_DECIDING = frozenset({_STATES, "dataloader_config", "dispatch_batches", "use_seedable_sampler", "*", "**"})
"""Arguments of an ``Accelerator`` that may change how its loaders agree on an order."""

_MOST_POSITIONAL = 2
_DEPTH = 5
_DRAWING = ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler")


def loader(w: Walker, value: Object, accelerator: Value | None) -> Object:
    """What ``prepare`` makes of the loader ``value``: one that agrees on a random state, unless told otherwise."""
    plain = isinstance(accelerator, Object) and _plain(accelerator)
    states: tuple[tuple[str, Value], ...] = ((_STATES, Const(("generator",))),) if plain else ()
    return Object(_SHARD, next(w.ids), value.args, (*value.kwargs, *states), value.site)


def _plain(accelerator: Object) -> bool:
    """Whether an accelerator was seen being made, without anything that may change how its loaders agree."""
    named = {name for name, _ in accelerator.kwargs}
    made = isinstance(accelerator.site, cst.Call)
    return made and len(accelerator.args) <= _MOST_POSITIONAL and not named & _DECIDING


def is_optimized(w: Walker, value: Value, beside: Iterable[Value]) -> bool:
    """Whether something unknown has parameters that an optimizer beside it was made with: it is a model."""
    if not isinstance(value, Unknown):
        return False
    return any(_takes_parameters(w, other, value.symbol, _DEPTH) for other in beside if other is not value)


def _takes_parameters(w: Walker, what: object, model: Symbol, depth: int) -> bool:
    if isinstance(what, (Object, Tuple, Container)):
        given = (*what.args, *(value for _, value in what.kwargs)) if isinstance(what, Object) else (what,)
        return depth > 0 and any(_takes_parameters(w, part, model, depth - 1) for part in loaders.parts_in(w, given))
    name = what.symbol if isinstance(what, (Unknown, Varying)) else what
    if not isinstance(name, Symbol) or not depth:
        return False
    if name.made_of[:3] == ("method", "parameters", model):
        return True
    return any(_takes_parameters(w, part, model, depth - 1) for part in name.made_of)


def begin(w: Walker, source: Value | None, place: cst.CSTNode) -> None:
    """The beginning of a loop over ``source``: an operation where that is a loader which agrees on a random state."""
    row = _agreeing(w, source)
    if row is not None:
        event = w.emit(row.name, "collective", place, api=row, receiver=source, label="prepared loader iteration")
        w.operate(event, "iterate")


def _agreeing(w: Walker, source: Value | None) -> Api | None:
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in loaders.THROUGH:
        source = source.args[0]
    if not isinstance(source, Object) or not source.name.endswith("DataLoaderShard") or not _draws(source):
        return None
    row = w.knowledge.lookup(source.name)
    return row if row is not None and "collective" in row.also else None


def _draws(value: Object) -> bool:
    """Whether a loader surely hands out one random state, and surely has a sampler that draws from it."""
    if (value.argument(-1, _STATES) or NONE) == NONE:
        return False
    if (value.argument(4, "batch_sampler") or NONE) != NONE or (value.argument(-1, "**") or NONE) != NONE:
        return False
    sampler = value.argument(3, "sampler") or NONE
    if sampler == NONE:
        return value.argument(2, "shuffle") == TRUE
    return isinstance(sampler, Object) and sampler.name.rpartition(".")[2] in _DRAWING

"""What a library gives each rank as its share, and what ``prepare`` makes of models and loaders."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping

import libcst as cst

from ddplint.analysis.domain import limits, terms
from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Call, Method, Operation, Slice, Symbol, terms_in
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    WORLD_SIZE,
    Const,
    Container,
    External,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
)
from ddplint.analysis.memory import classes
from ddplint.analysis.memory.numbers import Sizes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import fitting, parts, tried_sizes
from ddplint.analysis.models.data import files, iterables
from ddplint.analysis.openworld.programs import orders
from ddplint.analysis.trace.events import Details
from ddplint.knowledge import Api

SHARD = "accelerate.data_loader.DataLoaderShard"

_STATES = "rng_types"

_DECIDING = frozenset({_STATES, "dataloader_config", "dispatch_batches", "use_seedable_sampler", "*", "**"})
"""Arguments of an ``Accelerator`` that may change how its loaders agree on an order."""

_MOST_POSITIONAL = 2

_ITERATED = "IterableDataset"

_ENDLESS = ("repeat", "resampled")


_DRAWING = ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler")


def loader(w: Interp, value: Object, accelerator: Value | None, node: cst.CSTNode) -> Object:
    """What ``prepare`` makes of the loader ``value``: one that agrees on a random state, unless told otherwise."""
    own = orders.own_order(w, value.argument(0, "dataset"))
    if own is not None:
        w.emit("share", Effect.SHARE, node, details={"order": own})
    again = is_sharded_again(w, value, node)
    plain = isinstance(accelerator, Object) and _plain(accelerator)
    states: tuple[tuple[str, Value], ...] = ((_STATES, Const(("generator",))),) if plain else ()
    read_by_one = plain and _is_iterated(w, value.argument(0, "dataset"))
    args = (
        (Unknown(symbol("given out", value)), *value.args[1:]) if value.args and (again or read_by_one) else value.args
    )
    return Object(SHARD, next(w.ids), args, (*value.kwargs, *states), value.site)


def is_sharded_again(w: Interp, value: Value, node: cst.CSTNode) -> bool:
    """Note it where a loader that is to be sharded gives a rank's shard already."""
    again = isinstance(value, Object) and is_a_share(w, value, node)
    if again:
        w.emit("share", Effect.SHARE, node, args=(value,), details={"parted": True})
    return again


def order_given(w: Interp, row: Api, kwargs: Kwargs) -> Details:
    """In which order of a rank's own a data set is, for a trainer that gives each rank a part of it."""
    own = orders.own_order(w, kwargs.get("train_dataset")) if "shards_again" in row.also else None
    return {} if own is None else {"order": own}


def is_a_share(w: Interp, value: Object, node: cst.CSTNode) -> bool:
    """Whether a loader gives a rank's shard: by its sampler, or by the data set."""
    sampler, data = value.argument(3, "sampler"), value.argument(0, "dataset")
    parting = [parts for way in alternatives(sampler or NONE) if (parts := _parts(w, way)) is not None]
    if parting:
        return any(parting)
    cause = iterables.uneven(w, data, node) if data is not None else None
    return cause is not None and cause.trail is not None and any(origin.ranks for origin in cause.trail.links())


def _parts(w: Interp, sampler: Value) -> bool | None:
    """Whether a sampler gives a rank its shard; None where it is none that does so, or nothing is known of it."""
    if isinstance(sampler, Object):
        row = w.knowledge.lookup(sampler.name)
        return sampler.argument(1, "num_replicas") != Const(1) if row is not None and row.kind == "sampler" else None
    if not isinstance(sampler, Instance) or classes.find_in_class(w, sampler.cls, "__init__")[0] is not None:
        return None
    rows = map(w.knowledge.lookup, classes.external_bases(w, sampler.cls))
    made = next((event for event in reversed(w.events) if event.result == sampler), None)
    if made is None or not any(row is not None and row.kind == "sampler" for row in rows):
        return None
    return made.argument("num_replicas", 1) != Const(1)


def _is_iterated(w: Interp, data: Value | None) -> bool:
    """Whether a data set is only iterated: then rank 0 alone reads it, and all ranks get the same number of batches."""
    if not isinstance(data, Instance):
        return False
    return any(name.rpartition(".")[2] == _ITERATED for name in classes.external_bases(w, data.cls))


def _plain(accelerator: Object) -> bool:
    """Whether an accelerator was seen being made, without anything that may change how its loaders agree."""
    named = {name for name, _ in accelerator.kwargs}
    made = isinstance(accelerator.site, cst.Call)
    return made and len(accelerator.args) <= _MOST_POSITIONAL and not named & _DECIDING


def is_optimized(w: Interp, value: Value, beside: Iterable[Value]) -> bool:
    """Whether something unknown has parameters that an optimizer beside it was made with: it is a model."""
    if not isinstance(value, Unknown):
        return False
    others = (other for other in beside if other is not value)
    return any(_takes_parameters(w, other, value.symbol, limits.PARAMETERS_DEPTH) for other in others)


def _takes_parameters(w: Interp, what: object, model: Symbol, depth: int) -> bool:
    if isinstance(what, (Object, Tuple, Container)):
        given = (*what.args, *(value for _, value in what.kwargs)) if isinstance(what, Object) else (what,)
        return depth > 0 and any(_takes_parameters(w, part, model, depth - 1) for part in files.parts_in(w, given))
    name = what.symbol if isinstance(what, (Unknown, Varying)) else what
    if not isinstance(name, Symbol) or not depth:
        return False
    made = name.whole
    if isinstance(made, Method) and made.name == "parameters" and made.receiver is model:
        return True
    return any(_takes_parameters(w, part, model, depth - 1) for part in made.parts)


def begin(w: Interp, source: Value | None, place: cst.CSTNode) -> None:
    """The beginning of a loop over ``source``: an operation where that is a loader which agrees on a random state."""
    row = _agreeing(w, source)
    if row is not None:
        event = w.emit(row, Effect.COLLECTIVE, place, receiver=source, label="prepared loader iteration")
        w.operate(event, "iterate")


def _agreeing(w: Interp, source: Value | None) -> Api | None:
    while isinstance(source, Object) and source.args and source.name.rpartition(".")[2] in iterables.THROUGH:
        source = source.args[0]
    if not isinstance(source, Object) or not source.name.endswith("DataLoaderShard") or not _draws(source):
        return None
    row = w.knowledge.lookup(source.name)
    return row if row is not None and "collective" in row.also else None


def _draws(value: Object) -> bool:
    """Whether a loader surely gives one random state, and surely has a sampler that draws from it."""
    if (value.argument(-1, _STATES) or NONE) == NONE:
        return False
    if (value.argument(4, "batch_sampler") or NONE) != NONE or (value.argument(-1, "**") or NONE) != NONE:
        return False
    sampler = value.argument(3, "sampler") or NONE
    if sampler == NONE:
        return value.argument(2, "shuffle") == TRUE
    return isinstance(sampler, Object) and sampler.name.rpartition(".")[2] in _DRAWING


_PADDING = "apply_padding"


def of_call(w: Interp, row: Api, rank: Value | None, base: Value | None, node: cst.CSTNode) -> Varying | None:
    """The share that a call returns (``split_dataset_by_node``).

    None where the rank is written into the program, and of something that was cut before, perhaps so that it divides.
    """
    if "uneven_share" not in row.also or isinstance(rank, Const) or base is None or fitting.evened(w, base):
        return None
    return _share(w, row, node)


def by_function(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Varying | None:
    """The share of a pipeline that is given a function which hands files out to the ranks, each as many as there are.

    None where it draws files again and again (``resampled``) or repeats: it does not end by itself.
    """
    endless = any(kwargs.get(name, FALSE) != FALSE for name in _ENDLESS)
    given = [*args, *kwargs.values()]
    shared = any(isinstance(one, External) and one.name in w.knowledge.quiet("handing_out") for one in given)
    return _share(w, row, node) if shared and not endless else None


def counted_out(w: Interp, stream: Value, method: str, node: cst.CSTNode) -> Varying | None:
    """A stream of each rank's own share that from then on ends after a number that is given; None for all others."""
    if method not in w.knowledge.quiet("counting_out"):
        return None
    own = stream if isinstance(stream, Varying) else iterables.uneven(w, stream, node)
    return Varying(Reason.DATA, fresh("share"), own.trail) if own is not None and own.reason is Reason.LENGTH else None


def of_parts(w: Interp, base: Value, index: Value, node: cst.CSTNode) -> Varying | None:
    """``numpy.array_split(items, world_size)[rank]``, or of a list of slices: where nothing says that it divides."""
    if not isinstance(index, PerRank):
        return None
    if isinstance(base, Container):
        return parts.of_rounds(w, base, index)
    if not isinstance(base, (Unknown, Varying)):
        return None
    made = base.symbol.whole
    if isinstance(made, (Call, Method)) and made.name in w.knowledge.quiet("cutting_by_size"):
        return _of_a_size(w, made, index, node)
    if not isinstance(made, Call) or made.name not in w.knowledge.quiet("cutters"):
        return None
    if len(made.args) < 2 or Const(WORLD_SIZE) not in made.args:
        return None
    cut = made.args[0]
    if isinstance(cut, Symbol) and fitting.evened(w, Unknown(cut)):
        return None
    return Varying(Reason.LENGTH, fresh("share"), w.trail(node, f"{made.last_name}: this rank's share", index.trail))


def _of_a_size(w: Interp, made: Call | Method, index: PerRank, node: cst.CSTNode) -> Varying | None:
    """``torch.split(items, size)[rank]``: where the size is reckoned from the length, and the last part has less."""
    if len(made.args) != 2 or not all(isinstance(one, (Symbol, Const)) for one in made.args):
        return None
    whole, size = (Unknown(one) if isinstance(one, Symbol) else one for one in made.args)
    if not isinstance(whole, Unknown) or not isinstance(size, (Unknown, Const)) or fitting.evened(w, whole):
        return None
    places = [terms.folded("*", operator.mul, place, size) for place in index.values]
    ends = [terms.folded("+", operator.add, place, size) for place in places]
    if not tried_sizes.unequal(whole, [PerRank(tuple(places)), PerRank(tuple(ends)), NONE], w.record(Sizes).symbols):
        return None
    return Varying(Reason.LENGTH, fresh("share"), w.trail(node, f"{made.last_name}: this rank's share", index.trail))


def manage(
    w: Interp, row: Api, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """``with accelerator.split_between_processes(items) as share``: as long as each other where filled up."""
    given: Mapping[str, Value] = dict(manager.kwargs)
    padded = given.get(_PADDING) or (manager.args[1] if len(manager.args) > 1 else FALSE)
    items = argument(list(manager.args), dict(manager.kwargs), "inputs", 0)
    uneven = padded in (FALSE, NONE) and not (items is not None and _divides(w, items))
    bind(_share(w, row, node, Reason.LENGTH if uneven else Reason.DATA))
    body()


def _divides(w: Interp, items: Value) -> bool:
    """Whether what is shared was made to fit: a slice whose length is reckoned from the number of ranks."""
    made = items.symbol.whole if isinstance(items, Unknown) else None
    if isinstance(made, Slice):
        return any(_counts_ranks(one.whole) for bound in made.bounds for one in terms_in(bound))
    return fitting.evened(w, items)


def _counts_ranks(made: Symbol) -> bool:
    return isinstance(made, Operation) and Const(WORLD_SIZE) in made.operands


def _share(w: Interp, row: Api, node: cst.CSTNode, reason: Reason = Reason.LENGTH) -> Varying:
    return Varying(reason, fresh("share"), w.trail(node, f"{row.name.rpartition('.')[2]}: this rank's share"))

"""What a loader runs when somebody draws from it: the data set's own methods, and what makes a batch of rows.

Each rank runs it by itself, as often as its share asks, or leaves it to worker processes, which have no group. A
sampler of the project is asked by the rank itself, at the beginning of every loop: ranks that begin it together may
meet there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import libcst as cst

from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import (
    NONE,
    Bound,
    Const,
    Container,
    Function,
    Generator,
    Instance,
    Object,
    Trail,
    Tuple,
    Value,
    Varying,
)
from ddplint.analysis.interp import generators, recording
from ddplint.analysis.memory import classes, containers
from ddplint.analysis.memory.presence import Drawing
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.analysis.models.data import iterables, sharing, within
from ddplint.analysis.summaries import syntax
from ddplint.analysis.trace.nodes import Nodes, Op, every

LOADER = "torch.utils.data.DataLoader"


@dataclass(slots=True)
class LoadersDrawnFrom(Record):
    """What loaders have run already, by the data set or function."""

    life = Life.FILE
    known: set[Value] = field(default_factory=set)


def begin(w: Interp, source: Value | None, place: cst.CSTNode) -> None:
    """The beginning of a loop over ``source``: its samplers, and, once for each data set, what runs for an element."""
    if source is None or w.quiet or w.tired:
        return
    for loader in _loaders(w, source):
        for sampler in _samplers(loader):
            _iterate(w, sampler, place)
        for made in (*_data_sets(w, loader), *_functions(w, loader)):
            if made not in w.record(LoadersDrawnFrom).known:
                w.record(LoadersDrawnFrom).known.add(made)
                _draw(w, loader, made, place)


def by_library(w: Interp, receiver: Object, method: str, place: cst.CSTNode) -> None:
    """A method of a library's object is called, which may draw from a loader of what the object was given."""
    given = w.knowledge.draws(receiver.name, method)
    if given is not None:
        handed = {name: _held(receiver, path) for name, path in given.items()}
        kwargs = {name: value for name, value in handed.items() if value is not None}
        begin(w, w.external_object(LOADER, (), kwargs, place), place)


def _held(holder: Value | None, path: str) -> Value | None:
    """What an object was given, or another one that it was given."""
    for name in path.split("."):
        holder = holder.argument(-1, name) if isinstance(holder, Object) else None
    return holder


def _loaders(w: Interp, source: Value) -> Iterator[Object]:
    """The loaders that something goes over: by themselves, in ``enumerate`` or behind a progress bar, or several."""
    for one in alternatives(source):
        if isinstance(one, (Container, Tuple)):
            for part in containers.items_of(w, one) or ():
                yield from _loaders(w, part)
        elif iterables.is_loader(one):
            assert isinstance(one, Object)
            yield one
        elif isinstance(one, Object) and one.name.rpartition(".")[2] in iterables.THROUGH:
            for part in one.args:
                yield from _loaders(w, part)


def _data_sets(w: Interp, loader: Object) -> Iterator[Instance]:
    """The data sets of the project that a loader draws from, in ``Subset`` and the like, too."""
    data = loader.argument(0, "dataset")
    if data is not None:
        for one in alternatives(data):
            yield from within.instances_of(w, one)


def _samplers(loader: Object) -> Iterator[Instance]:
    """The samplers of the project that a loader asks for the numbers of elements."""
    for position, name in ((3, "sampler"), (4, "batch_sampler")):
        given = loader.argument(position, name)
        yield from (one for one in alternatives(given or NONE) if isinstance(one, Instance))


def _functions(w: Interp, loader: Object) -> Iterator[Bound | Function]:
    for position, name in ((6, "collate_fn"), (10, "worker_init_fn")):
        given = loader.argument(position, name)
        called = classes.find_in_class(w, given.cls, "__call__")[0] if isinstance(given, Instance) else None
        given = Bound(called, given) if isinstance(given, Instance) and isinstance(called, Function) else given
        if isinstance(given, (Bound, Function)) and (name == "collate_fn" or _has_workers(loader)):
            yield given


def _has_workers(loader: Object) -> bool:
    """Whether worker processes surely do the work of a loader."""
    count = loader.argument(5, "num_workers")
    return isinstance(count, Const) and isinstance(count.value, int) and count.value > 0


def _draw(w: Interp, loader: Object, made: Value, place: cst.CSTNode) -> None:
    """Run what makes an element. Of that, only what the rank itself says to others is part of its trace.

    Where the loader gives each rank its share, the number of an element is that of no other rank's.
    """
    if loader.name == sharing.SHARD or sharing.is_a_share(w, loader, place):
        origin = replace(w.origin(place, "each rank draws its own share"), ranks=frozenset({"global"}))
        own = Varying(Reason.DATA, fresh("element"), Trail(origin))
    else:
        own = Varying(Reason.DATA, fresh("index"), w.trail(place, "each rank draws its own"))
    found: list[Nodes] = []

    def run() -> Value:
        found.append(w.trace_of(lambda: _run(w, made, own, place)))
        return NONE

    worker = _has_workers(loader)
    with drawing(w, worker), w.saved(loops=[], tries=[]):
        w.state.arm(w.state.mask, None, run)
    nodes = found[0] if found else []
    if not worker and any(isinstance(node, Op) for node in every(nodes)):
        recording.append_loop(w, nodes, place, iterables.uneven(w, loader, place))


def _run(w: Interp, made: Value, own: Varying, place: cst.CSTNode) -> None:
    if not isinstance(made, Instance):
        w.semantics.call_value(w, made, [own], {}, place)
        return
    item, _ = classes.find_in_class(w, made.cls, "__getitem__")
    if isinstance(item, Function):
        w.semantics.call_value(w, item, [made, own], {}, place)
    else:
        _iterate(w, made, place)


def _iterate(w: Interp, made: Instance, place: cst.CSTNode) -> None:
    """Run ``__iter__`` of an object of the project, all of it where that is a generator."""
    start, _ = classes.find_in_class(w, made.cls, "__iter__")
    if isinstance(start, Function) and syntax.is_generator(start.node):
        generators.run(w, Generator(start, (made,), ()), place, lambda value: None)
    elif isinstance(start, Function):
        w.semantics.call_value(w, start, [made], {}, place)


@contextmanager
def drawing(w: Interp, worker: bool) -> Iterator[None]:
    """What runs inside runs because a loader draws, in a ``worker`` of its own perhaps."""
    record = w.record(Drawing)
    before = record.drawn, record.by_worker
    record.drawn, record.by_worker = True, record.by_worker or worker
    try:
        yield
    finally:
        record.drawn, record.by_worker = before

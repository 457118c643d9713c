"""Samplers that were made for a data set which the loader no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Const, Effect, Either, Event, Instance, PerRank, Reason, Value, Varying, Walk
from ddplint.rule.code import Tree, called, calls_in, descend, dotted, tree_of

_SHORTENS = frozenset({"filter", "select", "shard", "skip", "take"})
"""Methods that make another set of samples of a data set."""

_PACKS = re.compile(r"(subset|concat|packed|packing|chunk|filtered|constantlength)\w*$")
"""Names of classes that do."""


@dataclass(frozen=True, eq=False)
class Outdated:
    """``sampler`` was made for the data set that ``replaced`` exchanges before ``loader`` takes it."""

    sampler: Event
    replaced: cst.Assign
    loader: Event


def outdated(walk: Walk) -> Iterator[Outdated]:
    """The loaders of a walk whose sampler knows an older data set of the same name."""
    for loader in walk.doing(Effect.LOADER):
        if loader.call is None or not loader.call.args:
            continue
        first = loader.call.args[0]
        if not isinstance(first.value, cst.Name) or (first.keyword and first.keyword.value != "dataset"):
            continue
        tree = tree_of(loader.file.module)
        holder = tree.function(loader.node) or loader.file.module
        for sampler in walk.events:
            found = _made_for(sampler, first.value.value, holder, tree)
            if found is None or sampler.order > loader.order or not _is_used(found, loader.call, tree):
                continue
            replaced = _replaced(first.value.value, found, loader, holder, tree)
            if replaced is not None:
                yield Outdated(sampler, replaced, loader)
                break


def _made_for(sampler: Event, name: str, holder: cst.CSTNode, tree: Tree) -> cst.Call | None:
    """The call in ``holder`` that makes a sampler for the data set ``name``, itself or further down."""
    if sampler.effect != Effect.SAMPLER:
        return None
    for frame in sampler.stack:
        node = frame.node
        if isinstance(node, cst.Call) and node in tree and tree.contains(holder, node) and _takes(node, name):
            return node
    return None


def _is_used(made: cst.Call, loader: cst.Call, tree: Tree) -> bool:
    """Whether the loader gets what the call made: ``sampler=…`` or ``**…``."""
    statement = tree.parent(made)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return False
    name = dotted(statement.targets[0].target)
    return bool(name) and any(
        dotted(arg.value) == name
        for arg in loader.args
        if arg.star == "**" or (arg.keyword is not None and arg.keyword.value in ("sampler", "batch_sampler"))
    )


def _replaced(name: str, made: cst.Call, loader: Event, holder: cst.CSTNode, tree: Tree) -> cst.Assign | None:
    """``data = Packed(data)`` between the two, if that has other samples and the sampler is not made anew."""
    first, last, kept = tree.order(made), tree.order(loader.node), tree.parent(made)
    assert isinstance(kept, cst.Assign)
    sampler, replaced = dotted(kept.targets[0].target), None
    for node in descend(holder):
        if isinstance(node, cst.Assign) and first < tree.order(node) < last:
            target, given = dotted(node.targets[0].target), node.value
            if target == sampler:
                return None
            if target == name:
                if not (isinstance(given, cst.Call) and _takes(given, name) and _has_other_samples(given, loader)):
                    return None
                replaced = node
    return replaced


def _takes(call: cst.Call, name: str) -> bool:
    owner = call.func.value if isinstance(call.func, cst.Attribute) else None
    given = [arg.value for arg in call.args] + ([owner] if owner is not None else [])
    return any(isinstance(node, cst.Name) and node.value == name for node in given)


def _has_other_samples(call: cst.Call, loader: Event) -> bool:
    last = dotted(call.func).rpartition(".")[2]
    if last in _SHORTENS or (last[:1].isupper() and _PACKS.search(last.lower()) is not None):
        return True
    return any(
        isinstance(data, Instance) and data.cls.name.rpartition(".")[2] == last and _counts_for_itself(data)
        for data in _alternatives(loader.args[0] if loader.args else loader.kwargs.get("dataset"))
    )


def _alternatives(value: Value | None) -> Iterator[Value]:
    if isinstance(value, Either):
        yield from _alternatives(value.yes)
        yield from _alternatives(value.no)
    elif value is not None:
        yield value


def _counts_for_itself(data: Instance) -> bool:
    """Whether the length of a data set is that of a list it fills itself, one element for several samples or none."""
    body = data.cls.node.body.body if data.cls.node is not None else ()
    methods = {step.name.value: step for step in body if isinstance(step, cst.FunctionDef)}
    length, start = methods.get("__len__"), methods.get("__init__")
    if length is None or start is None:
        return False
    counted = {dotted(step.args[0].value) for step in calls_in(length) if step.args}
    return any(called(step) in {f"{name}.append" for name in counted if name} for step in descend(start))


_SAMPLER = "torch.utils.data.distributed.DistributedSampler"

_NUM_REPLICAS, _SHUFFLE, _SEED = 1, 3, 4


def own_seeds(walk: Walk) -> Iterator[tuple[Event, PerRank | Varying]]:
    """The samplers of torch's that share the data among all ranks, and the seed that differs between these."""
    for event in walk.doing(Effect.SAMPLER):
        if event.name != _SAMPLER or len(event.ranks) < 2:
            continue
        seed = _given(event, "seed", _SEED)
        if seed is not None and _is_own(seed, event) and _is_for_all(event) and _shuffles(event):
            assert isinstance(seed, (PerRank, Varying))
            yield event, seed


def _given(event: Event, name: str, position: int) -> Value | None:
    return event.kwargs.get(name) or (event.args[position] if position < len(event.args) else None)


def _is_own(seed: Value, event: Event) -> bool:
    """Whether the seed holds the rank, or the time at which each rank came here."""
    if isinstance(seed, PerRank):
        return len({seed.values[rank] for rank in event.ranks}) > 1
    return isinstance(seed, Varying) and seed.reason is Reason.CLOCK


def _is_for_all(event: Event) -> bool:
    """Whether the sampler distributes among all ranks; ranks that hold parts of one model get the same data."""
    shares = _given(event, "num_replicas", _NUM_REPLICAS)
    return shares is None or (isinstance(shares, Const) and shares.value in (None, len(event.everyone)))


def _shuffles(event: Event) -> bool:
    asked = _given(event, "shuffle", _SHUFFLE)
    return not isinstance(asked, Const) or bool(asked.value)

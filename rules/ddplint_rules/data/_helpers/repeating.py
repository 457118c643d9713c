"""Data that is repeated or never ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Effect, Event, Walk
from ddplint.rule.code import SourceFile, Tree, called, descend, dotted, tree_of
from ddplint.rule.facts import Pass, around, made_by, name_words, sampler_of, shuffles
from ddplint_rules.data._helpers.epochs import ranks_with_epoch

_TRIALS = frozenset({"eval", "evaluation", "val", "valid", "validation", "test", "infer", "inference"})


@dataclass(frozen=True, eq=False)
class Endless:
    """``found`` is the call of the generator; ``node`` is where it begins to run over the loader once more."""

    found: Pass
    node: cst.CSTNode


def endless(walk: Walk) -> Iterator[Endless]:
    """The generators that get a loader with a distributed sampler and repeat it, in a walk that trains."""
    if not walk.doing(Effect.BACKWARD):
        return
    for event in walk.doing(Effect.GENERATOR):
        if name_words(event.node) & _TRIALS:
            continue
        for name, value in event.details["given"].items():
            node = _repeated(event, name)
            if node is None:
                continue
            for loader in around(value):
                for sampler, path, certain in sampler_of(loader):
                    yield Endless(Pass(event, None, loader, sampler, path, certain), node)


def endless_without_epoch(walks: Sequence[Walk]) -> Iterator[tuple[Endless, Event]]:
    """Those that may shuffle and are never given the epoch, each once, and where their samplers are made."""
    done: set[object] = set()
    for one in (one for walk in walks for one in endless(walk)):
        sampler = one.found.sampler
        made = made_by(walks, sampler)
        if (
            made is None
            or id(one.node) in done
            or shuffles(sampler) is False
            or ranks_with_epoch(one.found, walks) != frozenset()
        ):
            continue
        done.add(id(one.node))
        yield one, made


def _repeated(event: Event, name: str) -> cst.CSTNode | None:
    """Where a generator runs over a parameter within a loop of its own."""
    function, tree = event.details["function"], tree_of(event.details["file"].module)
    for node in descend(function.body, into_functions=False):
        if isinstance(node, cst.Name) and node.value == name and _begins_again(tree, node, function):
            return node
    return None


def _begins_again(tree: Tree, name: cst.Name, function: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a loop goes around an iteration over what is named."""
    begun = False
    for below, step in tree.upward(name):
        if step is function or called(step) == "len":
            return False
        if begun and isinstance(step, (cst.For, cst.While)):
            return True
        runs_over = isinstance(step, cst.For) and step.iter is below
        begun |= runs_over or isinstance(step, cst.From) or called(step) == "iter"
    return False


_EPOCH = "set_epoch"

_DELEGATES = frozenset({"__getattr__", "__getattribute__", _EPOCH})

_ASKS = frozenset({"hasattr", "isinstance", "getattr", "callable"})

_MOVES = ("scatter", "broadcast", "all_gather", "send")


@dataclass(frozen=True, eq=False)
class Deaf:
    """``node`` (a class, or the call that hands the epoch on) does not tell ``inner`` the epoch."""

    node: cst.CSTNode
    inner: str
    told: bool
    """Whether there is a ``set_epoch`` that stops short; otherwise there is none at all."""

    holder: str = "self."
    """What ``inner`` is looked up on."""


def deaf_loaders(file: SourceFile) -> Iterator[Deaf]:
    """The classes of a file through which no epoch comes."""
    if "oader" not in file.text:
        return
    classes = [node for node in file.module.body if isinstance(node, cst.ClassDef)]
    wrapped = any(_wraps_a_batch_sampler(one) for one in classes)
    for one in classes:
        methods = _methods(one)
        if _EPOCH in methods and _is_loader(one):
            yield from _stops_short(methods[_EPOCH], wrapped)
        elif not one.bases and not _DELEGATES & methods.keys() and _shares_out(one):
            inner = _inner_loader(methods)
            if inner:
                yield Deaf(one.name, inner, told=False)
        else:
            yield from _tells_the_outer(methods)


def deaf_functions(file: SourceFile) -> Iterator[Deaf]:
    """The calls by which functions tell the sampler of whatever loader they are given, and not that of a batch sampler.

    They are meant for all kinds where they ask whether it is a loader, or has a sampler, at all; who builds the loaders
    in the same file knows which they are.
    """
    if _EPOCH not in file.text or _BUILDS.search(file.text) is not None:
        return
    for function in descend(file.module):
        if isinstance(function, cst.FunctionDef):
            yield from _told_without_batches(function)


_BUILDS = re.compile(r"\bDataLoader\w*\(")


def _told_without_batches(function: cst.FunctionDef) -> Iterator[Deaf]:
    steps = list(descend(function.body, into_functions=False))
    names = {step.value for step in steps if isinstance(step, (cst.Name, cst.SimpleString))}
    if any("batch_sampler" in name or name == "BatchSampler" for name in names):
        return
    calls = [step for step in steps if isinstance(step, cst.Call)]
    asked = {dotted(one.args[0].value) for one in calls if dotted(one.func) in _ASKS and one.args}
    done: set[str] = set()
    for call in calls:
        loader, _, method = dotted(call.func).rpartition(f".sampler.{_EPOCH}")
        if loader and not method and {loader, f"{loader}.sampler"} <= asked and loader not in done:
            done.add(loader)
            yield Deaf(call, "batch_sampler.sampler", told=True, holder=f"{loader}.")


def _methods(node: cst.ClassDef) -> dict[str, cst.FunctionDef]:
    return {step.name.value: step for step in node.body.body if isinstance(step, cst.FunctionDef)}


def _is_loader(node: cst.ClassDef) -> bool:
    return any(dotted(base.value).endswith(("DataLoader", "DataLoaderAdapter")) for base in node.bases)


def _stops_short(method: cst.FunctionDef, wrapped: bool) -> Iterator[Deaf]:
    """The sampler that ``set_epoch`` of a loader does not reach; nothing where it may reach all."""
    reached: dict[str, cst.Call] = {}
    for node in descend(method.body):
        if not isinstance(node, cst.Call):
            continue
        owner, _, name = dotted(node.func).rpartition(".")
        if name == _EPOCH and owner.startswith("self."):
            reached[owner.removeprefix("self.")] = node
        elif name not in _ASKS:
            return
    inside = {path for path in reached if path.startswith("batch_sampler.")}
    if "batch_sampler" not in reached or any(path.count(".") > 1 for path in inside):
        return
    if not inside:
        yield Deaf(reached["batch_sampler"], "batch_sampler.sampler", told=True)
    elif wrapped and "batch_sampler.batch_sampler" not in inside:
        yield Deaf(reached[min(inside)], "batch_sampler.batch_sampler.sampler", told=True)


def _tells_the_outer(methods: dict[str, cst.FunctionDef]) -> Iterator[Deaf]:
    """The call by which a class tells the sampler of whatever loader it was given, and not that of a batch sampler.

    It is meant for all kinds of loaders where it asks whether the sampler can be given the epoch.
    """
    held = _inner_loader(methods)
    steps = [step for method in methods.values() for step in descend(method)] if held else []
    names = (step.value for step in steps if isinstance(step, (cst.Name, cst.SimpleString)))
    if any("batch_sampler" in name or name == "BatchSampler" for name in names):
        return
    sampler = f"self.{held}.sampler"
    calls = [step for step in steps if isinstance(step, cst.Call)]
    if any(dotted(one.func) in _ASKS and one.args and dotted(one.args[0].value) == sampler for one in calls):
        told = (one for one in calls if dotted(one.func) == f"{sampler}.{_EPOCH}")
        yield from (Deaf(one, f"{held}.batch_sampler.sampler", told=True) for one in told)


def _wraps_a_batch_sampler(node: cst.ClassDef) -> bool:
    """Whether objects of a class hold a batch sampler, pass on its batches, and cannot be given the epoch."""
    methods = _methods(node)
    start, walk = methods.get("__init__"), methods.get("__iter__")
    if start is None or walk is None or _DELEGATES & methods.keys():
        return False
    return any(held == "batch_sampler" for held in _held(start)) and any(
        isinstance(step, cst.Attribute) and dotted(step) == "self.batch_sampler"
        for method in methods.values()
        if method is not start
        for step in descend(method.body)
    )


def _held(start: cst.FunctionDef) -> Iterator[str]:
    """The attributes that hold a parameter of the constructor as it came."""
    params = {param.name.value for param in start.params.params}
    for node in descend(start.body):
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Name) and node.value.value in params:
            for target in node.targets:
                owner, _, name = dotted(target.target).rpartition(".")
                if owner == "self":
                    yield name


def _shares_out(node: cst.ClassDef) -> bool:
    """Whether a class itself sends what it iterates over to other ranks."""
    for step in descend(node):
        if type(step) is cst.Call:
            owner, _, name = dotted(step.func).rpartition(".")
            if owner in ("dist", "torch.distributed") and name.startswith(_MOVES):
                return True
    return False


def _inner_loader(methods: dict[str, cst.FunctionDef]) -> str:
    """The attribute with the loader whose batches a class passes on."""
    start, walk = methods.get("__init__"), methods.get("__iter__")
    if start is None or walk is None:
        return ""
    for held in _held(start):
        if "loader" in held.lower() and any(
            isinstance(step, cst.Attribute) and dotted(step) == f"self.{held}" for step in descend(walk.body)
        ):
            return held
    return ""

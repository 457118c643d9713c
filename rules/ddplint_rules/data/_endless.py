"""Generators of the project that run over a loader again and again: ``while True: yield from loader``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Event, Walk
from ddplint.source.ancestry import Tree, descend, tree_of
from ddplint.source.tree import dotted
from ddplint_rules.common.groups import name_words
from ddplint_rules.common.passes import Pass, around, sampler_of

__all__ = ["Endless", "endless"]

_TRIALS = frozenset({"eval", "evaluation", "val", "valid", "validation", "test", "infer", "inference"})


@dataclass(frozen=True, eq=False)
class Endless:
    """``found`` is the call of the generator; ``node`` is where it begins to run over the loader once more."""

    found: Pass
    node: cst.CSTNode


def endless(walk: Walk) -> Iterator[Endless]:
    """The generators that get a loader with a distributed sampler and repeat it, in a walk that trains."""
    if not any(event.effect == "backward" for event in walk.events):
        return
    for event in walk.events:
        if event.effect != "generator" or name_words(event.node) & _TRIALS:
            continue
        for name, value in event.details["given"].items():
            node = _repeated(event, name)
            if node is None:
                continue
            for loader in around(value):
                for sampler, path, certain in sampler_of(loader):
                    yield Endless(Pass(event, None, loader, sampler, path, certain), node)


def _repeated(event: Event, name: str) -> cst.CSTNode | None:
    """Where a generator runs over a parameter within a loop of its own."""
    function, tree = event.details["function"], tree_of(event.details["file"].module)
    for node in descend(function.body, into_functions=False):
        if isinstance(node, cst.Name) and node.value == name and _begins_again(tree, node, function):
            return node
    return None


def _begins_again(tree: Tree, name: cst.Name, function: cst.FunctionDef) -> bool:
    """Whether a loop goes around an iteration over what is named."""
    begun = False
    below: cst.CSTNode = name
    for step in tree.ancestors(name):
        if step is function or (isinstance(step, cst.Call) and dotted(step.func) == "len"):
            return False
        if begun and isinstance(step, (cst.For, cst.While)):
            return True
        runs_over = isinstance(step, cst.For) and step.iter is below
        begun |= runs_over or isinstance(step, cst.From) or (isinstance(step, cst.Call) and dotted(step.func) == "iter")
        below = step
    return False

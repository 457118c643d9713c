"""Branches of a start that take the rank from a scheduler, and the number of processes from nowhere, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from ddplint.rule.code import SourceFile, called, calls_in, code_of, descend, dotted, leaving, nodes_of, tree_of
from ddplint.rule.knowledge import load_knowledge

SIZES = {
    "SLURM_PROCID": "SLURM_NTASKS",
    "OMPI_COMM_WORLD_RANK": "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK": "PMI_SIZE",
    "MV2_COMM_WORLD_RANK": "MV2_COMM_WORLD_SIZE",
}
"""By the variable in which a scheduler tells a process its rank, the one with their number."""

_RANKS = {size: rank for rank, size in SIZES.items()} | {"SLURM_NPROCS": "SLURM_PROCID"}
_INIT = "init_process_group"
_ONE = "1"
_ENV = {"rank": "RANK", "world_size": "WORLD_SIZE"}


@dataclass(frozen=True, eq=False)
class Incomplete:
    """``given`` (the assignment of one of the two) reads ``variable``; nothing in its branch sets ``missing``.

    ``complete`` is the branch that sets both, ``init`` the call that takes both; ``size``: the number is missing, and
    ``alone``, that the branch says one.
    """

    given: cst.Assign
    variable: str
    missing: cst.BaseAssignTargetExpression
    complete: cst.CSTNode
    init: cst.Call
    size: bool
    alone: bool = False


def incomplete_branches(file: SourceFile) -> Iterator[Incomplete]:
    """The branches, in functions that then begin the run with a rank and a number of processes."""
    if _INIT not in file.text or not any(name in file.text for name in (*SIZES, *_RANKS)) or "submitit" in file.text:
        return
    for function in tree_of(file.module).nodes(cst.FunctionDef):
        for init in _inits(function):
            targets = _variables_of(init)
            if targets is not None:
                yield from _in_function(file, function, init, *targets)


def _inits(function: cst.FunctionDef) -> Iterator[cst.Call]:
    for call in calls_in(function.body, into_functions=False):
        if called(call).rpartition(".")[2] == _INIT:
            yield call


def _variables_of(init: cst.Call) -> tuple[str, str] | None:
    """What a call takes as the rank and the number; variables of the environment where it is given neither."""
    given = {arg.keyword.value: dotted(arg.value) for arg in init.args if arg.keyword is not None}
    rank, size = given.get("rank"), given.get("world_size")
    if rank is None and size is None:
        return _ENV["rank"], _ENV["world_size"]
    return (rank, size) if rank and size else None


def _in_function(
    file: SourceFile, function: cst.FunctionDef, init: cst.Call, rank: str, size: str
) -> Iterator[Incomplete]:
    tree = tree_of(file.module)
    chains = [
        node
        for node in nodes_of(function.body, cst.If, into_functions=False)
        if not isinstance(tree.parent(node), cst.If) and tree.order(node) < tree.order(init)
    ]
    for chain in chains:
        arms = [(arm, _assigned(arm)) for arm in _arms(chain)]
        complete = next((arm for arm, found in arms if rank in found and size in found), None)
        if complete is None or _set_elsewhere(function, chain, {rank, size}):
            continue
        for arm, found in arms:
            if arm is complete or leaving([arm]) or _raises(arm):
                continue
            yield from _half(file, found, rank, size, complete, init)


def _half(
    file: SourceFile, found: Mapping[str, cst.Assign], rank: str, size: str, complete: cst.CSTNode, init: cst.Call
) -> Iterator[Incomplete]:
    for given, missing, names in ((rank, size, SIZES), (size, rank, _RANKS)):
        alone = missing == size and missing in found and code_of(found[missing].value) == _ONE
        if given not in found or (missing in found and not alone):
            continue
        if alone and any(name in file.text for name in (*SIZES.values(), *_RANKS)):
            continue  # the file knows how many there are, and may come here with one
        variable = next((text for text in _texts(found[given].value) if text in names), "")
        if variable and _is_known(variable):
            other = _target(missing, found[given])
            yield Incomplete(found[given], variable, other, complete, init, missing == size, alone)


def _is_known(variable: str) -> bool:
    return load_knowledge().env(variable) is not None


def _target(missing: str, like: cst.Assign) -> cst.BaseAssignTargetExpression:
    """What is to be assigned: a name, an attribute, or a variable of the environment as the other one is written."""
    target = like.targets[0].target
    text = f'{dotted(target.value)}["{missing}"]' if isinstance(target, cst.Subscript) else missing
    written = cst.parse_expression(text)
    assert isinstance(written, cst.BaseAssignTargetExpression)
    return written


def _arms(chain: cst.If) -> Iterator[cst.CSTNode]:
    step: cst.If | cst.Else | None = chain
    while isinstance(step, cst.If):
        yield step.body
        step = step.orelse
    if step is not None:
        yield step.body


def _assigned(arm: cst.CSTNode) -> dict[str, cst.Assign]:
    """The assignments of an arm, by name, dotted path or variable of the environment."""
    found: dict[str, cst.Assign] = {}
    for node in descend(arm, into_functions=False):
        for target in node.targets if isinstance(node, cst.Assign) else ():
            inner = target.target
            parts = [one.value for one in inner.elements] if isinstance(inner, (cst.Tuple, cst.List)) else [inner]
            assert isinstance(node, cst.Assign)
            found.update({name: node for part in parts if (name := _name(part))})
    return found


def _name(target: cst.BaseExpression) -> str:
    if isinstance(target, cst.Subscript) and dotted(target.value).endswith("environ"):
        return next(_texts(target), "")
    return dotted(target)


def _texts(value: cst.CSTNode) -> Iterator[str]:
    for node in descend(value):
        if isinstance(node, cst.SimpleString) and isinstance(node.evaluated_value, str):
            yield node.evaluated_value


def _raises(arm: cst.CSTNode) -> bool:
    return any(nodes_of(arm, cst.Raise, into_functions=False))


def _set_elsewhere(function: cst.FunctionDef, chain: cst.If, names: set[str]) -> bool:
    """Whether something outside the chain sets one of the two, too: it may be the one that is missing."""
    inside = {id(node) for node in descend(chain)}
    for node in descend(function.body, into_functions=False):
        if id(node) in inside:
            continue
        if isinstance(node, cst.Assign) and any(_name(target.target) in names for target in node.targets):
            return True
        if called(node).endswith((".setdefault", ".update", "setattr")):
            return True
    return False

"""Where the rank comes from: names that identify a process, and the evidence without which a name is just a name.

``rank`` in LoRA, SVD or retrieval code is not a rank of a job. A parameter or attribute merely called so counts when
its module uses the name in a place that only a process rank fits (``set_device``, ``device_ids``, a sampler,
``f"cuda:{...}"``), or, for ``local_rank`` and ``global_rank``, when the module communicates or the walk has reached
what only a job of several processes does.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import libcst as cst

from ddplint.analysis.domain.term import Operation, Symbol
from ddplint.analysis.domain.values import (
    GLOBAL_RANKS,
    LOCAL_RANKS,
    LOCAL_WORLD_SIZE,
    NODE_RANKS,
    Const,
    Function,
    Group,
    PerRank,
    Trail,
    Unknown,
    Value,
)
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api, guesses
from ddplint.project.index.records import FunctionRecord
from ddplint.project.modules import Module
from ddplint.source.tree import dotted

KINDS: dict[str, tuple[int, ...]] = {"global": GLOBAL_RANKS, "local": LOCAL_RANKS, "node": NODE_RANKS}

_TELLING = {
    "local_rank": "local",
    "localrank": "local",
    "node_rank": "node",
    "global_rank": "global",
    "world_rank": "global",
    "process_index": "global",
    "local_process_index": "local",
}
_NEED_EVIDENCE = {
    "rank": "global",
    "gpu": "local",
    "gpu_id": "local",
    "proc_id": "global",
    "process_id": "global",
    "proc_rank": "global",
    "ddp_rank": "global",
    "dist_rank": "global",
    "ddp_local_rank": "local",
    "device_id": "local",
    "local_proc_index": "local",
    "worker_rank": "global",
}


def ranks_where(kind: str) -> tuple[bool, ...]:
    """The truth of a predicate kind on each rank."""
    if kind == "local":
        return tuple(rank == 0 for rank in LOCAL_RANKS)
    if kind == "last":
        return tuple(rank == GLOBAL_RANKS[-1] for rank in GLOBAL_RANKS)
    return tuple(rank == 0 for rank in GLOBAL_RANKS)


def rank_value(
    w: Interp, kind: str, node: cst.CSTNode, text: str, as_text: bool = False, tables: Collection[str] = ()
) -> Value:
    """The rank of the given kind as each rank sees it. ``tables``: the kinds that they know to be there."""
    _note(w)
    numbers = KINDS[kind]
    trail = Trail(replace(w.origin(node, text), ranks=frozenset(tables)))
    return PerRank(tuple(Const(str(n) if as_text else n) for n in numbers), trail)


def predicate_value(w: Interp, kind: str, node: cst.CSTNode, text: str) -> Value:
    """A boolean that is true on the ranks of a predicate kind."""
    _note(w)
    trail: Trail = w.trail(node, text)
    return PerRank(tuple(Const(yes) for yes in ranks_where(kind)), trail)


def _note(w: Interp) -> None:
    """Somebody has asked who the rank is: so have all functions that led there."""
    w.distributed = True
    for frame in w.frames:
        frame.asks = True


def among_nodes(first: Value, second: Value) -> PerRank | None:
    """The global rank, where that of a node's process is added to a product (the node times the processes of each)."""
    for mine, before in ((first, second), (second, first)):
        if isinstance(mine, PerRank) and _counts_before(before):
            numbers = tuple(value.value for value in mine.values if isinstance(value, Const))
            if numbers in (GLOBAL_RANKS, LOCAL_RANKS):
                return PerRank(tuple(map(Const, GLOBAL_RANKS)), mine.trail)
    return None


def on_its_node(w: Interp, node: cst.CSTNode, name: str, rank: Value, size: Value) -> PerRank | None:
    """What the global rank leaves when divided by the processes of a node: the local rank, or which node it is."""
    if not isinstance(rank, PerRank) or rank.values != tuple(map(Const, GLOBAL_RANKS)):
        return None
    written = dotted(node.right) if isinstance(node, cst.BinaryOperation) else ""
    if not guesses.pattern("per node").search(written) and not (isinstance(size, Unknown) and _is_of_node(size.symbol)):
        return None
    kind = "local" if name == "%" else "node"
    trail = w.trail(node, f"the {kind} rank, of the processes of a node", rank.trail)
    return PerRank(tuple(map(Const, KINDS[kind])), trail)


def _is_of_node(size: object) -> bool:
    """Whether it is the number of processes of a node, by the name of where it comes from."""
    named = size.last if isinstance(size, Symbol) else None
    return isinstance(named, str) and guesses.pattern("per node").search(named) is not None


def _counts_before(value: Value) -> bool:
    """Whether it is the number of processes on the nodes before: their number times an unknown one."""
    if isinstance(value, PerRank):
        factors = [_factors(each.symbol) for each in value.values if isinstance(each, Unknown)]
        numbers = [pair[:1] for pair in factors]
        if numbers == [(Const(rank),) for rank in GLOBAL_RANKS]:  # a node's number, by the name of a process's
            return all(_is_of_node(one) for pair in factors for one in pair[1:])
        return numbers == [(Const(node),) for node in NODE_RANKS]
    parts = _factors(value.symbol) if isinstance(value, Unknown) else ()
    return bool(parts) and [one for one in parts if not isinstance(one, Symbol)] in ([], [Const(LOCAL_WORLD_SIZE)])


def _factors(what: Symbol) -> tuple[object, ...]:
    """The factors of a product that no loop counts."""
    product = isinstance(what, Operation) and what.sign == "*" and not what.counters
    return what.operands if isinstance(what, Operation) and product else ()


_ROOTS = frozenset({"dst", "src", "root", "root_rank"})
_WITH_A_ROOT = ("broadcast", "gather", "reduce", "scatter")
"""What the names of operations have in them that take a root."""


def of_parameter(w: Interp, function: Function, param: cst.Param) -> Value | None:
    """The rank that a parameter holds by evidence; not where it names a root, or is compared with the own rank."""
    launcher = _launcher_of(w, function, param)
    if launcher is not None:
        return rank_value(w, "global", param, f"{launcher}: process index")
    found = by_evidence(w, param.name.value, param)
    if found is None:
        return None
    owner = function.owner.name if function.owner is not None else ""
    same = w.project.index.named(function.module.file, owner, function.name)
    return None if any(_is_of_somebody(one.record, param.name.value) for one in same) else found


def _is_of_somebody(function: FunctionRecord, name: str) -> bool:
    """Whether a function uses a parameter for the rank of somebody, which may be another."""
    for call in function.calls:
        last = call.callee.rpartition(" ")[2]
        if any(key in _ROOTS and words == name for key, words in call.named):
            return True
        if name in call.given[1:] and any(word in last for word in _WITH_A_ROOT):
            return True
    return any(name in pair and any(words.endswith("rank ()") for words in pair) for pair in function.compared)


def _launcher_of(w: Interp, function: Function, param: cst.Param) -> str | None:
    """What starts processes with a function of its module, in each with the process's number for this parameter."""
    params = function.node.params
    if function.owner is not None or next(iter((*params.posonly_params, *params.params)), None) is not param:
        return None
    unit = w.project.index.unit(function.module.file)
    for called in unit.handed.get(function.name, ()):
        head, *rest = called.split(".")
        row = w.knowledge.lookup(".".join((unit.origins.get(head, head), *rest)))
        if row is not None and row.kind == "launcher" and row.rank_param == 0:
            return row.name
    return None


def by_evidence(w: Interp, name: str, node: cst.CSTNode) -> Value | None:
    """The rank that a parameter or attribute of this name holds, if the module gives evidence that it is one."""
    kind = _TELLING.get(name)
    module = w.frame.module
    if kind is None and guesses.pattern("node group").search(name) and _is_among_many(w, module):
        return node_group(w, node, name)
    if kind is not None:
        if not _is_among_many(w, module):
            return None
    else:
        kind = _NEED_EVIDENCE.get(name)
        if kind is None or not (_counts_from_zero(node) or name in w.project.index.rank_names(module.file)):
            return None
    return rank_value(w, kind, node, f"{name}: the {kind} rank")


def _is_among_many(w: Interp, module: Module) -> bool:
    """Whether a module communicates, or the walk has reached what only a program of several processes does."""
    return w.distributed or w.project.index.communicates(module.file)


def node_group(w: Interp, node: cst.CSTNode, name: str) -> Value:
    """The process group of a node: every rank has that of its own."""
    groups = {place: Group(w.owner(("node group", place)), _on_node(place)) for place in set(NODE_RANKS)}
    return PerRank(tuple(groups[place] for place in NODE_RANKS), w.trail(node, f"{name}: the group of the own node"))


def _on_node(place: int) -> int:
    return sum(1 << rank for rank, other in enumerate(NODE_RANKS) if other == place)


def _counts_from_zero(node: cst.CSTNode) -> bool:
    """Whether a parameter called ``rank`` is 0 by default, as a process's rank may be and no other rank is."""
    if not isinstance(node, cst.Param) or node.name.value != "rank":
        return False
    return isinstance(node.default, cst.Integer) and node.default.value == "0"


def distinctive(w: Interp, name: str) -> Api | None:
    """The row that an attribute of this name has on any object, for names that are used for nothing else."""
    return w.knowledge.distinctive(name)

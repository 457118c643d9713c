"""Numbers that are given out as global ranks and are none."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, External, PerRank, Unknown, Value
from ddplint.analysis.facts.calls import name_words
from ddplint.analysis.trace.events import Event, Walk
from ddplint.analysis.trace.uniformity import agree
from ddplint.fixing.code.site import Site
from ddplint.knowledge import rank_words
from ddplint.source.ancestry import descend
from ddplint.source.calls import argument
from ddplint.source.file import SourceFile
from ddplint.source.tree import dotted, positional

_SIZE = "world_size"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
_OF_A_NODE = frozenset({"local", "node", "count", "gpus", "gpu", "nproc", "procs", "nprocs", "device", "devices"})
"""Words in the number of processes of one node, which some programs call their world size."""


def too_large(file: SourceFile) -> Iterator[cst.BinaryOperation]:
    """``node_rank * world_size + local_rank``: on the second node it is larger than any rank."""
    if _SIZE not in file.text or not any(name in file.text for name in rank_words.NODE_NUMBERS):
        return
    for node in descend(file.module):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
            for product, rest in ((node.left, node.right), (node.right, node.left)):
                size = _size_of(product)
                if size is not None and "local" in name_words(rest) and _is_world(Site(file, node), product, size):
                    yield node


def _size_of(product: cst.BaseExpression) -> cst.BaseExpression | None:
    """What is called the size of the world in ``node_rank * world_size``."""
    if not isinstance(product, cst.BinaryOperation) or not isinstance(product.operator, cst.Multiply):
        return None
    for one, other in ((product.left, product.right), (product.right, product.left)):
        if _last(one) in rank_words.NODE_NUMBERS and _last(other) == _SIZE:
            return other
    return None


def _last(node: cst.BaseExpression) -> str:
    return dotted(node).rpartition(".")[2]


def _is_world(site: Site, product: cst.BaseExpression, size: cst.BaseExpression) -> bool:
    """Whether the size is that of all nodes: nothing of that name is worked out from the devices of one node."""
    for node in descend(site.module):
        targets = [target.target for target in node.targets] if isinstance(node, cst.Assign) else []
        keyword = node.keyword.value if isinstance(node, cst.Arg) and node.keyword is not None else ""
        if isinstance(node, cst.Arg) and keyword in ("nprocs", "nproc") and node.value.deep_equals(size):
            return False
        named = any(_last(target) == _SIZE for target in targets)
        if named and isinstance(node, cst.Assign) and name_words(node.value) & _OF_A_NODE:
            return False
    counted = {*rank_words.NODE_NUMBERS, _SIZE}
    owners = {dotted(node).rpartition(".")[0] for node in descend(product) if _last_of(node) in counted}
    return isinstance(size, cst.Name) or len(owners) == 1


def _last_of(node: cst.CSTNode) -> str:
    return _last(node) if isinstance(node, cst.Attribute) else ""


def of_a_node(size: Value | None) -> bool:
    """Whether a number of processes is that of one node's devices, by the name of what it comes from."""
    named = size.name if isinstance(size, External) else size.symbol.last if isinstance(size, Unknown) else None
    return isinstance(named, str) and bool(set(named.rpartition(".")[2].lower().split("_")) & _OF_A_NODE)


def is_written_out(site: Site, node: cst.BaseExpression | None, depth: int = 4) -> bool:
    """Whether a number is a literal of the program, perhaps by a name: then it was written for as many processes."""
    if isinstance(node, cst.Integer):
        return True
    if not isinstance(node, cst.Name) or not depth:
        return False
    values = list(site.values_of(node))
    return bool(values) and all(is_written_out(site, value, depth - 1) for value in values)


_LOCAL = ("0", "1", "0", "1")


def is_local(value: Value | None) -> bool:
    """Whether a value is the local rank, and the program says so."""
    if not isinstance(value, PerRank) or value.trail is None:
        return False
    numbers = tuple(str(part.value) if isinstance(part, Const) else "" for part in value.values)
    return numbers == _LOCAL and "local" in value.trail.links()[0].text.lower()


def is_local_by_name(call: cst.Call, file: SourceFile) -> bool:
    """Whether ``rank=`` is a parameter ``rank`` of a function that has one ``global_rank`` (or the like) too."""
    given = argument(call, "rank", 4)
    function = Site(file, call).function
    if not isinstance(given, cst.Name) or given.value != "rank" or function is None:
        return False
    params = set(positional(function.params))
    return "rank" in params and bool(params & {"global_rank", "world_rank"})


def exported(walk: Walk) -> Event | None:
    """``os.environ["RANK"]`` set to the local rank, where the address of the group may be that of another node."""
    given: dict[str, Event] = {}
    for event in walk.doing(Effect.SET_ENV, Effect.INIT):
        if event.effect == Effect.SET_ENV and len(event.args) > 1 and isinstance(event.args[0], Const):
            given[str(event.args[0].value)] = event
        if event.effect == Effect.INIT and event.name.endswith("init_process_group"):
            break
    else:
        return None
    rank, address, size = given.get("RANK"), given.get("MASTER_ADDR"), given.get("WORLD_SIZE")
    if rank is None or not isinstance(rank.node, cst.Subscript) or not is_local(rank.args[1]):
        return None
    if address is None or isinstance(address.args[1], Const):
        return None
    return None if size is not None and isinstance(size.args[1], Const) else rank


def meets_on_its_node(walk: Walk, start: Event) -> bool:
    """Whether a group meets at an address of the node itself, so that all of its processes are on one node."""
    method = start.argument("init_method", 1)
    if isinstance(method, Const) and any(f"//{name}" in str(method.value) for name in _LOOPBACK):
        return True
    for event in walk.events:
        if event is start:
            return False
        if event.effect == Effect.SET_ENV and event.args[:1] == (Const("MASTER_ADDR"),) and event.ranks >= start.ranks:
            address = event.args[1] if len(event.args) > 1 else None
            if isinstance(address, Const) and address.value in _LOOPBACK and agree(event.together, start.together):
                return True
    return False

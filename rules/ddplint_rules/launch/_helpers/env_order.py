"""What has surely run before a statement of the same function, and which readers of the environment are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ddplint.rule.code import Site, calls_in

_CUDA = frozenset(
    "torch.cuda." + name
    for name in (
        "set_device current_device synchronize get_device_capability get_device_properties get_device_name init "
        "current_stream mem_get_info"
    ).split()
)
_OWN_RENDEZVOUS = frozenset({"horovod", "jax", "mpi4py"})
"""Frameworks that meet without torch's process group."""

_CHILDREN = re.compile(r"\b(?:subprocess|Popen|multiprocessing|spawn|Process|start_processes|os\.system|os\.exec\w*)\b")


def earlier_calls(site: Site) -> Iterator[cst.Call]:
    """The calls that run, whatever happens, before the site's statement in the same function, the last one first."""
    tree, below = site.tree, site.node
    for step in tree.ancestors(site.node):
        if isinstance(step, (cst.IndentedBlock, cst.Module)):
            before = [one for one in step.body if tree.order(one) < tree.order(below) and one is not below]
            for statement in reversed(before):
                if isinstance(statement, cst.SimpleStatementLine):
                    yield from _calls(statement)
        if isinstance(step, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
            return
        below = step


def _calls(statement: cst.CSTNode) -> list[cst.Call]:
    return list(calls_in(statement, into_functions=False))


def initialises_cuda(site: Site, call: cst.Call) -> bool:
    """Whether a call makes torch initialise CUDA; ``set_device`` of an object that nobody knows counts."""
    name = site.qualified(call.func)
    if name:
        return name in _CUDA
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "set_device"


def meets(site: Site, call: cst.Call, kind: str) -> bool:
    """Whether a call is known as one of this kind."""
    row = site.known(call.func)
    return row is not None and row.kind == kind and row.framework not in _OWN_RENDEZVOUS


def starts_children(site: Site) -> bool:
    """Whether the file mentions processes that would inherit the environment."""
    return _CHILDREN.search(site.file.text) is not None

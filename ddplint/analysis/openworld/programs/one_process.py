"""Calls that run their callee in one process: ``main_worker(0, world_size=1)``, ``mp.spawn(work, nprocs=1)``.

A script that also starts one process for each device often has such a call for debugging. What stands behind it is
done by one process, whatever its other programs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

import libcst as cst

from ddplint.analysis.domain.values import Const, Function, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api
from ddplint.project.modules import Module
from ddplint.source.tree import children, dotted, positional

_SIZES = frozenset({"world_size", "num_processes", "num_procs", "n_procs", "nprocs", "nproc_per_node"})
"""Parameters that say how many processes there are."""


def is_given(function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a call says outright that its function is one of one process; a default does not."""
    named = dict(zip(positional(function.node.params), args, strict=False))
    return any(_is_one(named.get(size) or kwargs.get(size)) for size in _SIZES)


def is_started(row: Api, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether a launcher is asked to start one process."""
    return bool(row.world.name) and _is_one(row.world.of(args, kwargs))


def makes_a_group_of_one(w: Interp, module: Module) -> bool:
    """Whether the only process groups that a script makes are of one process: the number is written out.

    What stands behind ``exit()`` makes none.
    """
    tree = module.tree()
    if tree is None or not w.project.index.unit(module.file).record.script:
        return False
    names = w.project.index.unit(module.file).origins
    calls = [call for call in _living(tree) if _makes_group(w, call, names)]
    return bool(calls) and all(any(map(_says_one, call.args)) for call in calls)


_ENDS = frozenset({"exit", "quit", "sys.exit", "os._exit"})


def _living(code: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls in code that do not stand behind the end of the process in their block."""
    stack: list[cst.CSTNode] = [code]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Call:
            yield node  # type: ignore[misc]
        inner = children(node)
        if kind is cst.IndentedBlock or kind is cst.Module:
            assert isinstance(node, (cst.IndentedBlock, cst.Module))
            last = next((number for number, line in enumerate(node.body) if _ends(line)), len(node.body))
            inner = list(node.body[:last])
        stack += inner


def _ends(line: cst.CSTNode) -> bool:
    steps = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    calls = (step.value for step in steps if isinstance(step, cst.Expr) and isinstance(step.value, cst.Call))
    return any(dotted(call.func) in _ENDS for call in calls)


def _makes_group(w: Interp, call: cst.Call, names: Mapping[str, str]) -> bool:
    head, _, rest = (dotted(call.func) or "").partition(".")
    full = names.get(head, head)
    row = w.knowledge.lookup(f"{full}.{rest}" if rest else full)
    return row is not None and row.kind == "init" and row.form == "function" and "group_factory" not in row.also


def _says_one(arg: cst.Arg) -> bool:
    named = arg.keyword is not None and arg.keyword.value in _SIZES
    return named and isinstance(arg.value, cst.Integer) and arg.value.value == "1"


def inside(w: Interp, one: bool) -> AbstractContextManager[None]:
    """What runs inside is done by one process, if ``one``."""
    return w.saved(alone=w.alone + one)


def _is_one(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == 1 and type(value.value) is int

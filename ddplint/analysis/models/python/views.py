"""What is made of a container that ranks have filled differently differs as much: views, copies, orders, counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.values import Value, unknown
from ddplint.analysis.memory import filling
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares import parts

Function = Callable[["Interp", Args, Kwargs, cst.CSTNode], "Value | None"]
Method = Callable[["Interp", Value, Args, Kwargs, cst.CSTNode], "Value | None"]


def for_each(w: Interp, node: cst.CSTNode, seen: Sequence[Value], run: Callable[[], Value | None]) -> Value | None:
    """Run something once for each content that the active ranks (or paths) see in the containers among ``seen``."""
    own = filling.apart(w, seen)
    if not own:
        return run()
    return w.lift(node, lambda *_: run() or unknown("view"), *own)


def function(handler: Function) -> Function:
    """A function of containers, which gives each rank what it makes of its own."""

    def run(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        given = [parts.as_share(w, arg) for arg in args]
        return for_each(w, node, given, lambda: handler(w, given, kwargs, node))

    return run


def method(handler: Method) -> Method:
    """The same for a method: of a container, or given one."""

    def run(w: Interp, receiver: Value, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
        return for_each(w, node, [receiver, *args], lambda: handler(w, receiver, args, kwargs, node))

    return run

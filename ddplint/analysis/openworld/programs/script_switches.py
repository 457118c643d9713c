"""Settings that people edit in a script: ``distributed = False``, and ``if distributed: dist.init_process_group()``.

The literal is what stood there last. A script that sets up the processes behind it is meant to be run either way.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import Unknown
from ddplint.analysis.memory.protocol import Interp
from ddplint.project.modules import Module
from ddplint.source.tree import children

_SETS_UP = frozenset({"init_process_group", "init_distributed"})


def setting(w: Interp, node: cst.Assign) -> Unknown | None:
    """What a setting is that decides whether there are several processes; None for anything else."""
    target = node.targets[0].target
    off = isinstance(node.value, cst.Name) and node.value.value == "False"
    if not off or len(node.targets) != 1 or not isinstance(target, cst.Name) or w.frame.function != "<module>":
        return None
    module = w.frame.module
    return Unknown(symbol("setting", module.name, target.value)) if target.value in _switches(w, module) else None


def _switches(w: Interp, module: Module) -> frozenset[str]:
    """The names that a module sets once, to ``False``, and that its set-up of the processes asks for."""
    if module.switches is None:
        sets_up = not _SETS_UP.isdisjoint(w.project.index.called_names(module.file))
        tree = module.tree() if sets_up else None
        module.switches = frozenset(_found(tree)) if tree is not None else frozenset()
    return module.switches


def _found(tree: cst.Module) -> set[str]:
    asked: set[str] = set()
    given: dict[str, int] = {}
    stack: list[tuple[cst.CSTNode, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, tests = stack.pop()
        if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name):
            given[node.target.value] = given.get(node.target.value, 0) + 1
        if isinstance(node, cst.Call):
            last = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
            if isinstance(last, cst.Name) and last.value in _SETS_UP:
                asked |= tests
        if isinstance(node, cst.If) and isinstance(node.test, cst.Name):
            stack.append((node.body, tests | {node.test.value}))
            stack += [(part, tests) for part in (node.test, node.orelse) if part is not None]
        else:
            stack += [(part, tests) for part in children(node)]
    return {name for name in asked if given.get(name) == 1}

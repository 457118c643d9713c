"""How a file names things."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.findings.edits import AddImport, Edit
from ddplint.fixing.code import shape
from ddplint.fixing.code.heading import from_imports, head_of
from ddplint.fixing.code.scopes import Binding, Scopes, scopes_of
from ddplint.source.ancestry import Tree
from ddplint.source.file import SourceFile
from ddplint.source.tree import dotted

USUAL_ALIAS = {"torch.distributed": "dist", "numpy": "np", "torch.nn": "nn", "torch.nn.functional": "F"}
"""Modules that nearly every trainer imports under the same short name."""

IMPORTED_WHOLE = frozenset({"os", "sys", "time", "json", "socket", "torch", "math", "random"})
"""Modules whose members are usually written out: ``os.environ``, never ``from os import environ``."""


@dataclass(frozen=True)
class Named:
    """An expression for a qualified name, and the edits that make it valid (none if it already is)."""

    expression: cst.BaseExpression
    edits: tuple[Edit, ...] = ()


def name_for(file: SourceFile, qualified: str, at: cst.CSTNode) -> Named:
    """How ``file`` says ``qualified`` at the node ``at``.

    What is already imported and visible there is used, in the shortest form the file has
    (``dist.barrier``, ``torch.distributed.barrier``, ``barrier``); otherwise an import is added in the
    file's own style under a name nothing else uses. All but the last part of ``qualified`` is a module.
    """
    scopes = scopes_of(file.module)
    spelled = _spelled(scopes, qualified, at)
    if spelled:
        return Named(shape.expression(spelled))
    module, _, last = qualified.rpartition(".")
    add, name = _new_import(file, scopes, module, last, at)
    return Named(shape.expression(name), (add,))


def qualified_name(file: SourceFile, node: cst.CSTNode, at: cst.CSTNode | None = None) -> str:
    """The full dotted name behind ``a.b.c``, through imports and plain aliases; ``""`` where unknown.

    ``at`` is the place to read it from, for a ``node`` that is not part of the file itself.
    """
    name = dotted(node)
    return _resolved(scopes_of(file.module), name, at or node) if name else ""


def _resolved(scopes: Scopes, name: str, at: cst.CSTNode, depth: int = 4) -> str:
    first, _, rest = name.partition(".")
    found = scopes.lookup(first, at)
    if found is None or not depth:
        return ""
    names = {_qualified(scopes, binding, depth) for binding in found[1] if not _fallback(scopes.tree, binding)}
    if len(names) != 1:
        return ""
    whole = names.pop()
    return f"{whole}.{rest}" if whole and rest else whole


def _qualified(scopes: Scopes, binding: Binding, depth: int) -> str:
    if binding.kind == "import":
        return binding.qualified
    name = dotted(binding.value) if binding.kind == "assign" and binding.value is not None else ""
    return _resolved(scopes, name, binding.node, depth - 1) if name and name != binding.name else ""


def _fallback(tree: Tree, binding: Binding) -> bool:
    """``x = None`` in the handler of ``try: import x``: says nothing about what ``x`` is."""
    return binding.kind != "import" and any(
        isinstance(step, cst.ExceptHandler) for step in tree.ancestors(binding.node)
    )


# What is there already


def _spelled(scopes: Scopes, qualified: str, at: cst.CSTNode) -> str:
    best: tuple[int, str] = (0, "")
    for scope in scopes.visible_scopes(at):
        for name in scopes.bindings(scope):
            found = scopes.lookup(name, at)
            if found is None or found[0] is not scope:
                continue
            whole = _resolved(scopes, name, at)
            if whole and (whole == qualified or qualified.startswith(whole + ".")) and len(whole) > best[0]:
                rest = qualified[len(whole) :]
                if _reachable(scopes, whole, rest) and _usable(scopes, name, found[1], at):
                    best = (len(whole), name + rest)
    return best[1]


def _usable(scopes: Scopes, name: str, bindings: Sequence[Binding], at: cst.CSTNode) -> bool:
    """Whether the import has run when ``at`` does; an import in a ``try`` counts, one for type checkers does not."""
    if scopes.available(name, at):
        return True
    for binding in bindings:
        chain = list(scopes.tree.ancestors(binding.node))
        tried = next((step for step in chain if isinstance(step, (cst.Try, cst.TryStar))), None)
        if binding.kind == "import" and tried is not None and not any(isinstance(step, cst.If) for step in chain):
            outer = scopes.tree.block(tried)
            if (
                outer is not None
                and scopes.tree.contains(outer, at)
                and scopes.tree.order(tried) < scopes.tree.order(at)
            ):
                return True
    return False


def _reachable(scopes: Scopes, whole: str, rest: str) -> bool:
    """Whether ``rest`` (``.distributed.barrier``) can be read off an import of ``whole`` (``torch``)."""
    parts = rest.split(".")[1:]
    if len(parts) <= 1:
        return True
    between = f"{whole}.{'.'.join(parts[:-1])}"
    for found in scopes.tree.nodes(cst.Import):
        if any(dotted(alias.name).startswith(between) for alias in found.names):
            return True
    used = (node for node in scopes.tree.nodes(cst.Attribute) if node.attr.value == parts[-2])
    return any(_resolved(scopes, dotted(node), node) == between for node in used)


# What to add


def _new_import(file: SourceFile, scopes: Scopes, module: str, name: str, at: cst.CSTNode) -> tuple[AddImport, str]:
    """The import to add and the expression it makes valid."""
    first = module.partition(".")[0]
    plain = AddImport(file, module, used_at=at), f"{module}.{name}", first
    named = AddImport(file, module, name.partition(".")[0], used_at=at), name, name.partition(".")[0]
    short = USUAL_ALIAS.get(module, "")
    aliased = AddImport(file, module, alias=short, used_at=at), f"{short}.{name}", short
    wishes = [plain, named] if module in IMPORTED_WHOLE else [named, plain]
    if short and not from_imports(head_of(scopes.tree, at), module):
        wishes.insert(0, aliased)
        wishes[1:] = [plain, named]
    for add, spelled, binds in wishes:
        if _free(scopes, binds, at) or (add is plain[0] and _is_package(scopes, first, at)):
            return add, spelled
    binds = named[2]
    while not _free(scopes, binds, at):
        binds = "_" + binds
    return AddImport(file, module, named[2], binds, used_at=at), binds + name[len(named[2]) :]


def _free(scopes: Scopes, name: str, at: cst.CSTNode) -> bool:
    """Whether the module may bind ``name`` without changing what any code around ``at`` means."""
    if not name or hasattr(builtins, name) or name in scopes.bindings(scopes.tree.module):
        return False
    return scopes.lookup(name, at) is None


def _is_package(scopes: Scopes, name: str, at: cst.CSTNode) -> bool:
    return _resolved(scopes, name, at) == name

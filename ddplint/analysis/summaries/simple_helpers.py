"""Helpers that only decide by what they are given, in modules without a word of other ranks.

``def improved(score, best): …``, a class that counts its calls: a few lines without a loop and without a call of
anything unknown. To walk them costs next to nothing, and says exactly what otherwise anything might be.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable

import libcst as cst

from ddplint.analysis.memory.protocol import Interp
from ddplint.project.modules import Module
from ddplint.source.ancestry import descend

Definition = cst.FunctionDef | cst.ClassDef

_MOST_LINES = 60
_DECIDES = frozenset({"c"})
"""The sign of a record that simple helpers may have: what another one gives decides where they go."""
_KNOWN = frozenset(dir(builtins)) - {"eval", "exec", "getattr", "globals", "input", "open", "setattr", "vars"}
_METHODS = frozenset("append get item".split())
_BOUND = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)
_OTHER = (cst.For, cst.While, cst.With, cst.Try, cst.Lambda, cst.Yield, cst.Await, cst.Del, cst.Import, cst.ImportFrom)
_LEFT_OUT = (*_OTHER, cst.Global, cst.Nonlocal, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Raise)


def needed(w: Interp, module: Module, name: str) -> list[Definition]:
    """The definition of a simple helper and of those that it calls, these first; none where it is not simple."""
    if not _may_be_simple(w, module, name):
        return []
    tree = module.tree()
    own = {one.name.value: one for one in tree.body if isinstance(one, Definition)} if tree is not None else {}
    found: dict[str, Definition] = {}
    return list(reversed(found.values())) if _collect(own, name, found) else []


def _may_be_simple(w: Interp, module: Module, name: str) -> bool:
    """What the record of a file says of a definition before anything is parsed."""
    unit = w.project.index.unit(module.file)
    classes = unit.classes.get(name, ())
    functions = [*unit.functions.get(name, ()), *(method for one in classes for method in one.methods)]
    lines = [one.record.last - one.record.first for one in (*functions, *classes)]
    plain = all(set(one.record.signs) <= _DECIDES for one in functions)
    return bool(lines) and max(lines) <= _MOST_LINES and plain


def _collect(own: dict[str, Definition], name: str, found: dict[str, Definition]) -> bool:
    node = own.get(name)
    if node is None or not (_is_function(node) if isinstance(node, cst.FunctionDef) else _is_class(node)):
        return False
    if name in found:
        return True
    found[name] = node
    return all(_collect(own, used, found) for used in sorted(_asked(node)))


def _is_function(node: cst.FunctionDef) -> bool:
    """Without parameters it decides nothing by what it is given."""
    return bool(node.params.params) and not node.decorators and _is_plain(node)


def _is_class(node: cst.ClassDef) -> bool:
    """A class without bases whose objects change after they are made; others are as good as what they are made of."""
    methods = [one for one in node.body.body if isinstance(one, cst.FunctionDef)]
    if node.bases or node.decorators or not any(one.name.value == "__init__" for one in methods):
        return False
    changes = any(_sets_own(one) for one in methods if one.name.value != "__init__")
    return changes and all(_is_property(one) for one in methods) and _is_plain(node)


def _is_property(method: cst.FunctionDef) -> bool:
    names = [one.decorator.value for one in method.decorators if isinstance(one.decorator, cst.Name)]
    return len(names) == len(method.decorators) and all(name == "property" for name in names)


def _sets_own(method: cst.FunctionDef) -> bool:
    targets = [one.target for one in descend(method.body) if isinstance(one, (cst.AssignTarget, cst.AugAssign))]
    parts = [part for one in targets for part in _parts(one)]
    return any(isinstance(one, cst.Attribute) and _is_self(one.value) for one in parts)


def _parts(target: cst.BaseExpression) -> Iterable[cst.BaseExpression]:
    return [one.value for one in target.elements] if isinstance(target, cst.Tuple) else [target]


def _is_self(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "self"


def _is_plain(node: Definition) -> bool:
    inside = list(descend(node))
    calls = (one.func for one in inside if isinstance(one, cst.Call))
    return not any(isinstance(one, _LEFT_OUT) for one in inside) and all(map(_may_be_called, calls))


def _may_be_called(func: cst.BaseExpression) -> bool:
    """A name is looked at later on: a builtin, or another simple helper."""
    if isinstance(func, cst.Attribute):
        return _is_self(func.value) or func.attr.value in _METHODS
    return isinstance(func, cst.Name)


def _asked(node: Definition) -> set[str]:
    """The names that a definition has from its module: calls of builtins are what they are."""
    inside = list(descend(node))
    named = {id(one.attr) for one in inside if isinstance(one, cst.Attribute)}
    named |= {id(one.keyword) for one in inside if isinstance(one, cst.Arg) and one.keyword is not None}
    own = {one.name.value for one in inside if isinstance(one, (cst.Param, cst.FunctionDef, cst.ClassDef))}
    own |= {one.target.value for one in inside if isinstance(one, _BOUND) and isinstance(one.target, cst.Name)}
    read = {one.value for one in inside if isinstance(one, cst.Name) and id(one) not in named}
    return read - own - _KNOWN

"""What classes leave to their subclasses: methods that are abstract, or nothing but ``raise NotImplementedError``.

An object of such a class is never made. Where one is needed to enter its methods, a subclass of the same file that has
them all gives it; where there is none, what is left open does what nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst.helpers import get_full_name_for_node

from ddplint.analysis.domain.values import Class, External, Function, OnRanks, Value
from ddplint.analysis.semantics import attributes
from ddplint.source.tree import children

if TYPE_CHECKING:
    from ddplint.analysis.interp.interpreter import Walker


def to_make(w: Walker, cls: Class) -> Class:
    """The class to make an object of, where one of ``cls`` is asked for: itself, or the first whole subclass."""
    if not any(map(is_left_open, _own_methods(w, cls))):
        return cls
    return next(iter(_whole(w, cls)), cls)


def the_one_that_speaks(w: Walker, cls: Class) -> Class | None:
    """The class itself, or the only whole subclass of an open one that speaks to other ranks."""
    if not any(map(is_left_open, _own_methods(w, cls))):
        return cls
    speaking = [one for one in _whole(w, cls) if _speaks(w, one)] if cls.module.communicates else []
    return speaking[0] if len(speaking) == 1 else None


def _whole(w: Walker, cls: Class) -> list[Class]:
    """The subclasses in the file of a class that leave nothing open."""
    tree = cls.module.tree()
    named = [part.name.value for part in tree.body if isinstance(part, cst.ClassDef)] if tree is not None else []
    held = [w.state.read((cls.module.scope, name)) for name in named]
    below = [one for one in held if isinstance(one, Class) and one is not cls and cls in attributes.lineage(w, one)]
    return [one for one in below if not any(map(is_left_open, _all_methods(w, one)))]


_SPEAK = frozenset({"collective", "point_to_point", "rank_predicate", "rank_source"})


def _speaks(w: Walker, cls: Class) -> bool:
    """Whether a class uses what its module imports to speak to other ranks; to name a type is not to speak."""
    stack: list[cst.CSTNode] = [cls.node.body]
    while stack:
        one = stack.pop()
        if isinstance(one, (cst.Name, cst.Attribute)) and _is_of_ranks(w, cls, get_full_name_for_node(one) or ""):
            return True
        stack += [child for child in children(one) if not isinstance(child, cst.Annotation)]
    return False


def _is_of_ranks(w: Walker, cls: Class, written: str) -> bool:
    """Whether a name, as a module understands it, asks other ranks or who they are."""
    first, dot, rest = written.partition(".")
    held = w.state.read((cls.module.scope, first))
    if not isinstance(held, External):
        return False
    full = f"{held.name}{dot}{rest}"
    row = w.knowledge.lookup(full)
    return full.startswith("torch.distributed") or (row is not None and row.kind in _SPEAK)


def _own_methods(w: Walker, cls: Class) -> list[Function]:
    names = [part.name.value for part in cls.node.body.body if isinstance(part, cst.FunctionDef)]
    held = [function_of(value) for name in names if (value := w.state.read((cls.key, name))) is not None]
    return [one for one in held if one is not None]


def function_of(value: Value) -> Function | None:
    """The function behind a class attribute: a method, or what a descriptor or a decorator was made of."""
    held = attributes.plain(value)
    inner = held.function if isinstance(held, OnRanks) else held
    return inner if isinstance(inner, Function) else None


def _all_methods(w: Walker, cls: Class) -> list[Function]:
    """The methods that objects of a class have: each by the first class of the line that defines it."""
    found: dict[str, Function] = {}
    for one in attributes.lineage(w, cls):
        for method in _own_methods(w, one):
            found.setdefault(method.name, method)
    return list(found.values())


def is_left_open(method: Function) -> bool:
    """Whether a class leaves a method to its subclasses: it is abstract, or raises ``NotImplementedError``."""
    node = method.node
    if not isinstance(node, cst.FunctionDef):
        return False
    for decorator in node.decorators:
        named = decorator.decorator
        last = named.attr if isinstance(named, cst.Attribute) else named
        if isinstance(last, cst.Name) and last.value in ("abstractmethod", "abstractproperty"):
            return True
    if isinstance(node.body, cst.SimpleStatementSuite):
        lines = list(node.body.body)
    else:
        block = node.body.body
        lines = [part for line in block if isinstance(line, cst.SimpleStatementLine) for part in line.body]
        if len(block) > 2 or len(lines) < len(block):
            return False
    last_line = lines[-1] if lines else None
    if isinstance(last_line, cst.Raise):
        raised = last_line.exc.func if isinstance(last_line.exc, cst.Call) else last_line.exc
        return isinstance(raised, cst.Name) and raised.value == "NotImplementedError"
    return isinstance(last_line, cst.Expr) and isinstance(last_line.value, (cst.Ellipsis, cst.SimpleString))

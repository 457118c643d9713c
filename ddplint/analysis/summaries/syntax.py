"""Questions about a function's syntax, answered once per node."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain.symbols import names_ranks
from ddplint.source.calls import last_part
from ddplint.source.tree import OWN, children, code_of, holds
from ddplint.source.tree_codec import body_yields

_OWN_NAMES = ("locals()", "vars()")
_BINDS = (cst.AssignTarget, cst.AnnAssign, cst.For)
_generators: dict[int, tuple[cst.CSTNode, bool]] = {}
_calling: dict[int, tuple[cst.CSTNode, bool]] = {}
_bound: dict[int, tuple[cst.CSTNode, frozenset[str]]] = {}
_keeping: dict[int, tuple[cst.CSTNode, frozenset[tuple[str, str]]]] = {}
_compared: dict[int, tuple[cst.CSTNode, frozenset[str]]] = {}


def is_generator(node: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a function's own body yields."""
    found = _generators.get(id(node))
    if found is None or found[0] is not node:
        yields = body_yields(node) if isinstance(node, cst.FunctionDef) else False
        found = (node, holds(node.body, cst.Yield, OWN) if yields is None else yields)
        _generators[id(node)] = found
    return found[1]


def may_call(node: cst.CSTNode) -> bool:
    """Whether something is called in it."""
    found = _calling.get(id(node))
    if found is None or found[0] is not node:
        found = _calling[id(node)] = node, holds(node, cst.Call, ())
    return found[1]


def is_manager(node: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a function is decorated with ``@contextmanager``."""
    for decorator in node.decorators if isinstance(node, cst.FunctionDef) else ():
        name = decorator.decorator
        last = name.attr if isinstance(name, cst.Attribute) else name
        if isinstance(last, cst.Name) and last.value in ("contextmanager", "asynccontextmanager"):
            return is_generator(node)
    return False


def rebinds(node: cst.FunctionDef, name: str) -> bool:
    """Whether a function's own body gives a name another value."""
    found = _bound.get(id(node))
    if found is None or found[0] is not node:
        found = _bound[id(node)] = node, frozenset(_bound_in(node))
    return name in found[1]


def _bound_in(node: cst.FunctionDef) -> Iterator[str]:
    stack: list[cst.CSTNode] = [node.body]
    while stack:
        one = stack.pop()
        target = getattr(one, "target", None) if type(one) in _BINDS else None
        if isinstance(target, cst.Name):
            yield target.value
        if type(one) not in OWN:
            stack += children(one)


def compares(node: cst.CSTNode, name: str) -> bool:
    """Whether something of that name is compared with a case, in a function, a class or a module."""
    found = _compared.get(id(node))
    if found is None or found[0] is not node:
        found = _compared[id(node)] = node, frozenset(_compared_in(node))
    return name in found[1]


def _compared_in(node: cst.CSTNode) -> Iterator[str]:
    """The names, and ``self.`` before the attributes, of what is compared."""
    stack: list[cst.CSTNode] = [node]
    while stack:
        one = stack.pop()
        if type(one) is cst.Comparison:
            if not any(isinstance(target.operator, (cst.Is, cst.IsNot)) for target in one.comparisons):
                yield from filter(None, map(_written, (one.left, *(target.comparator for target in one.comparisons))))
        elif type(one) is cst.Match and (subject := _written(one.subject)):
            yield subject
        stack += children(one)


def _written(node: cst.BaseExpression) -> str:
    """A name, or an attribute of ``self``."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self":
        return f"self.{node.attr.value}"
    return ""


def keeps_under(node: cst.FunctionDef, kept: cst.BaseExpression, key: cst.BaseExpression) -> bool:
    """Whether a function puts something into ``kept`` under the very ``key``, as one does who keeps what was made."""
    found = _keeping.get(id(node))
    if found is None or found[0] is not node:
        found = _keeping[id(node)] = node, frozenset(_kept_in(node))
    return bool(found[1]) and (code_of(kept), code_of(key)) in found[1]


def _kept_in(node: cst.FunctionDef) -> Iterator[tuple[str, str]]:
    stack: list[cst.CSTNode] = [node.body]
    while stack:
        one = stack.pop()
        for target, _ in _assigned(one):
            if isinstance(target, cst.Subscript) and len(target.slice) == 1:
                index = target.slice[0].slice
                if isinstance(index, cst.Index):
                    yield code_of(target.value), code_of(index.value)
        if type(one) not in OWN:
            stack += children(one)


def kept_as(node: cst.FunctionDef, name: str) -> Iterator[str]:
    """The attributes of ``self`` that a method keeps an argument in; all of its names, where it takes ``locals()``."""
    stack: list[cst.CSTNode] = [node.body]
    while stack:
        one = stack.pop()
        for target, value in _assigned(one):
            if isinstance(value, cst.Name) and value.value == name and (kept := _written(target)).startswith("self."):
                yield kept
        if type(one) is cst.Call and not one.args and code_of(one) in _OWN_NAMES:
            yield f"self.{name}"
        if type(one) not in OWN:
            stack += children(one)


def _assigned(node: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What a statement gives a value to, and the value."""
    kind = type(node)
    if kind is not cst.Assign and kind is not cst.AnnAssign:
        return
    if isinstance(node, cst.AnnAssign) and node.value is not None:
        yield node.target, node.value
    if not isinstance(node, cst.Assign):
        return
    value = node.value
    for target in (one.target for one in node.targets):
        if (
            isinstance(target, cst.Tuple)
            and isinstance(value, cst.Tuple)
            and len(target.elements) == len(value.elements)
        ):
            yield from zip(
                (part.value for part in target.elements), (part.value for part in value.elements), strict=True
            )
        else:
            yield target, value


def callers(module: cst.Module) -> dict[str, list[cst.FunctionDef | cst.Lambda]]:
    """The functions in which (also in functions inside of them) something of a name is called, by that name."""
    found: dict[str, list[cst.FunctionDef | cst.Lambda]] = {}
    stack: list[tuple[cst.CSTNode, tuple[cst.FunctionDef | cst.Lambda, ...]]] = [(module, ())]
    while stack:
        node, around = stack.pop()
        if type(node) is cst.FunctionDef or type(node) is cst.Lambda:
            around = (*around, node)
        elif type(node) is cst.Call and (name := last_part(node.func)):
            found.setdefault(name, []).extend(around)
        stack += [(child, around) for child in children(node)]
    return found


def called_by_some(module: cst.Module) -> frozenset[str]:
    """The names of what is called only where an ``if`` around the call, in its own function, asks for the rank."""
    some: set[str] = set()
    all_: set[str] = set()
    stack: list[tuple[cst.CSTNode, bool]] = [(module, False)]
    while stack:
        node, guarded = stack.pop()
        kind = type(node)
        if kind is cst.FunctionDef or kind is cst.Lambda or kind is cst.ClassDef:
            guarded = False
        elif kind is cst.If:
            guarded = guarded or _asks_for_rank(node.test)  # type: ignore[attr-defined]
        elif kind is cst.Call and (name := last_part(node.func)):  # type: ignore[attr-defined]
            (some if guarded else all_).add(name)
        stack += [(child, guarded) for child in children(node)]
    return frozenset(some - all_)


def _asks_for_rank(test: cst.CSTNode) -> bool:
    stack = [test]
    while stack:
        node = stack.pop()
        if type(node) is cst.Name and names_ranks(node.value):
            return True
        stack += children(node)
    return False


def reset() -> None:
    """Forget the answers (nodes of other files)."""
    _generators.clear()
    _calling.clear()
    _bound.clear()
    _compared.clear()
    _keeping.clear()

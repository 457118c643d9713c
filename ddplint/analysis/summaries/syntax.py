"""Questions about a function's syntax, answered once per node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

import libcst as cst

from ddplint.analysis.domain.symbols import names_ranks
from ddplint.source.ancestry import descend
from ddplint.source.calls import last_part
from ddplint.source.tree import OWN, children, code_of, holds
from ddplint.source.tree_codec import body_yields

Node = TypeVar("Node", bound=cst.CSTNode)
Answer = TypeVar("Answer")

_OWN_NAMES = ("locals()", "vars()")
_SAME = (cst.Is, cst.IsNot)
_BINDS = (cst.AssignTarget, cst.AnnAssign, cst.For)
_known: list[dict[int, tuple[cst.CSTNode, Any]]] = []


def _once(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """A question about a node, answered once; the answer holds the node, so that no other one gets its number."""
    known: dict[int, tuple[cst.CSTNode, Any]] = {}
    _known.append(known)

    @wraps(question)
    def asked(node: Node) -> Answer:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = node, question(node)
        return cast("Answer", found[1])

    return asked


@_once
def is_generator(node: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether a function's own body yields."""
    yields = body_yields(node) if isinstance(node, cst.FunctionDef) else False
    return holds(node.body, cst.Yield, OWN) if yields is None else yields


@_once
def may_call(node: cst.CSTNode) -> bool:
    """Whether something is called in it."""
    return holds(node, cst.Call, ())


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
    return name in _bound_in(node)


@_once
def _bound_in(node: cst.FunctionDef) -> frozenset[str]:
    own = descend(node.body, into_functions=False)
    targets = (getattr(one, "target", None) for one in own if type(one) in _BINDS)
    return frozenset(target.value for target in targets if isinstance(target, cst.Name))


def compares(node: cst.CSTNode, name: str) -> bool:
    """Whether something of that name is compared with a case, in a function, a class or a module."""
    return name in _compared_in(node)


@_once
def _compared_in(node: cst.CSTNode) -> frozenset[str]:
    """The names, and ``self.`` before the attributes, of what is compared."""
    found: set[str] = set()
    for one in descend(node):
        if type(one) is cst.Match:
            found.add(_written(one.subject))
        elif type(one) is cst.Comparison and not any(isinstance(two.operator, _SAME) for two in one.comparisons):
            found.update(map(_written, (one.left, *(two.comparator for two in one.comparisons))))
    return frozenset(found - {""})


def _written(node: cst.BaseExpression) -> str:
    """A name, or an attribute of ``self``."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self":
        return f"self.{node.attr.value}"
    return ""


def keeps_under(node: cst.FunctionDef, kept: cst.BaseExpression, key: cst.BaseExpression) -> bool:
    """Whether a function puts something into ``kept`` under the very ``key``, as one does who keeps what was made."""
    found = _kept_in(node)
    return bool(found) and (code_of(kept), code_of(key)) in found


@_once
def _kept_in(node: cst.FunctionDef) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for target, _ in (pair for one in descend(node.body, into_functions=False) for pair in _assigned(one)):
        index = target.slice[0].slice if isinstance(target, cst.Subscript) and len(target.slice) == 1 else None
        if isinstance(target, cst.Subscript) and isinstance(index, cst.Index):
            found.add((code_of(target.value), code_of(index.value)))
    return frozenset(found)


def kept_as(node: cst.FunctionDef, name: str) -> Iterator[str]:
    """The attributes of ``self`` that a method keeps an argument in; all of its names, where it takes ``locals()``."""
    for one in descend(node.body, into_functions=False):
        for target, value in _assigned(one):
            if isinstance(value, cst.Name) and value.value == name and (kept := _written(target)).startswith("self."):
                yield kept
        if type(one) is cst.Call and not one.args and code_of(one) in _OWN_NAMES:
            yield f"self.{name}"


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
    return any(type(node) is cst.Name and names_ranks(node.value) for node in descend(test))


def reset() -> None:
    """Forget the answers (nodes of other files)."""
    for answers in _known:
        answers.clear()

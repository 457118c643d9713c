"""What statements read, assign and leave, as far as moving code past them is concerned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import libcst as cst

from ddplint.fixing.code.logic import conjuncts
from ddplint.fixing.code.scopes import targets
from ddplint.source.ancestry import descend
from ddplint.source.tree import children, dotted
from ddplint.source.words import words_in


def reads(statement: cst.CSTNode) -> set[str]:
    """The names and dotted attributes that a statement reads, longest form: ``self.rank``, ``dist.all_reduce``."""
    found: set[str] = set()
    stack: list[cst.CSTNode] = [statement]
    while stack:
        node = stack.pop()
        name = dotted(node)
        if name:
            found.add(name)
        elif isinstance(node, (cst.Attribute, cst.Arg, cst.NamedExpr)):
            stack.append(node.value)
        elif isinstance(node, cst.Assign):
            stack.append(node.value)
            stack.extend(single for target in node.targets for single in targets(target.target) if not dotted(single))
        elif isinstance(node, cst.AnnAssign):
            stack.extend([node.value] if node.value is not None else [])
        else:
            stack.extend(children(node))
    return found - _bound_inside(statement)


def _bound_inside(statement: cst.CSTNode) -> set[str]:
    """Names of comprehensions and lambdas: they are nobody else's."""
    found: set[str] = set()
    for node in descend(statement):
        if isinstance(node, cst.CompFor):
            found |= {dotted(single) for single in targets(node.target)}
        elif isinstance(node, cst.Lambda):
            found |= {param.name.value for param in node.params.params}
    return found


def assigned_paths(statements: Iterable[cst.CSTNode]) -> set[str]:
    """The names and dotted attributes that statements assign; a subscript counts for its object (``d`` of ``d[k]``)."""
    return {path for statement in statements for path in _assigned(statement) if path}


def _assigned(statement: cst.CSTNode) -> Iterator[str]:
    for node in descend(statement, into_functions=False):
        if isinstance(node, cst.Assign):
            yield from (path for target in node.targets for path in _paths(target.target))
        elif isinstance(node, (cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.NamedExpr, cst.Del)):
            yield from _paths(node.target)
        elif isinstance(node, cst.AsName):
            yield from _paths(node.name)
        elif isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            yield node.name.value
        elif isinstance(node, cst.ImportAlias):
            yield dotted(node.asname.name if node.asname is not None else node.name).partition(".")[0]
        elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and isinstance(node.name, cst.Name):
            yield node.name.value


def _paths(target: cst.CSTNode) -> Iterator[str]:
    assert isinstance(target, cst.BaseExpression)
    for single in targets(target):
        node: cst.BaseExpression = single
        while isinstance(node, (cst.Subscript, cst.StarredElement)):
            node = node.value
        yield dotted(node)


def given_under(module: cst.Module, names: Collection[str]) -> Iterator[cst.CSTNode]:
    """Where something gets a value under one of some names: as a variable, a field, a key or an argument."""
    found = _given_in(module)
    yield from dict.fromkeys(node for name in names for node in found.get(name, ()))


@lru_cache(maxsize=4)
def _given_in(module: cst.Module) -> Mapping[str, Sequence[cst.CSTNode]]:
    """The same for all names of a module."""
    found: dict[str, list[cst.CSTNode]] = {}
    for node in descend(module):
        if isinstance(node, cst.Arg):
            named: cst.CSTNode | None = node.keyword
        elif isinstance(node, (cst.AssignTarget, cst.AnnAssign)):
            named = node.target.attr if isinstance(node.target, cst.Attribute) else node.target
            named = node.target.slice[0] if isinstance(node.target, cst.Subscript) else named
        else:
            named = node.key if isinstance(node, cst.DictElement) else None
        for name in set(words_in(named)) if named is not None else ():
            found.setdefault(name, []).append(node)
    return found


def may_read(made: Collection[str], path: str) -> bool:
    """Whether reading ``path`` sees one of the assigned paths: the same, a part of it, or the whole it is part of."""
    return any(path == other or path.startswith(other + ".") or other.startswith(path + ".") for other in made)


def leaving(statements: Iterable[cst.CSTNode]) -> str:
    """The keyword of an exit (``return``, ``break``, ``continue``, ``yield``) that may leave these statements."""
    for statement in statements:
        found = _leaving(statement, in_loop=False)
        if found:
            return found
    return ""


def _leaving(node: cst.CSTNode, in_loop: bool) -> str:
    if isinstance(node, cst.Return):
        return "return"
    if isinstance(node, cst.Yield):
        return "yield"
    if not in_loop and isinstance(node, (cst.Break, cst.Continue)):
        return "break" if isinstance(node, cst.Break) else "continue"
    if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
        return ""
    inside = in_loop or isinstance(node, (cst.For, cst.While))
    return next((found for child in children(node) if (found := _leaving(child, inside))), "")


def ways_out(node: cst.CSTNode, asked: tuple[cst.BaseExpression, ...] = ()) -> Iterator[tuple[cst.BaseExpression, ...]]:
    """The tests on the way to each ``return`` in a statement, the outermost first."""
    if isinstance(node, cst.Return):
        yield asked
    elif isinstance(node, cst.If):
        yield from ways_out(node.body, (*asked, *conjuncts(node.test)))
        if node.orelse is not None:
            yield from ways_out(node.orelse, (*asked, node.test))
    elif not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
        for child in children(node):
            yield from ways_out(child, asked)

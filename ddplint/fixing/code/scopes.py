"""Which names are bound where, and which of them surely exist at a place.

Deliberately small: it answers what a rewrite must know before it uses a name, and says no when unsure.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ddplint.source.ancestry import Tree, tree_of
from ddplint.source.tree import children, dotted

Scope = cst.Module | cst.ClassDef | cst.FunctionDef | cst.Lambda


@dataclass(frozen=True, eq=False)
class Binding:
    """One place that binds ``name``: ``kind`` is ``import``, ``assign``, ``param``, ``def`` or ``other``.

    ``node`` is the statement or clause that does it, ``value`` what a plain ``name = value`` assigns,
    ``qualified`` the full dotted name of an import.
    """

    name: str
    kind: str
    node: cst.CSTNode
    value: cst.BaseExpression | None = None
    qualified: str = ""


class Scopes:
    """The bindings of one module, worked out scope by scope when somebody asks."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.answers: dict[object, object] = {}
        """What was found out about names of this module, by question; see :meth:`Site.once`."""
        self._bindings: dict[int, dict[str, list[Binding]]] = {}

    @cached_property
    def attributes(self) -> dict[str, list[tuple[cst.BaseExpression, cst.BaseExpression | None]]]:
        """The targets and values of all assignments to dotted attributes; ``None`` for a value like that of ``+=``."""
        found: dict[str, list[tuple[cst.BaseExpression, cst.BaseExpression | None]]] = {}
        for assign in self.tree.nodes(cst.Assign):
            for target in assign.targets:
                for part, value in paired(target.target, assign.value):
                    found.setdefault(dotted(part), []).append((part, value))
        for annotated in self.tree.nodes(cst.AnnAssign):
            found.setdefault(dotted(annotated.target), []).append((annotated.target, annotated.value))
        for augmented in self.tree.nodes(cst.AugAssign):
            found.setdefault(dotted(augmented.target), []).append((augmented.target, None))
        return {name: places for name, places in found.items() if "." in name}

    def bindings(self, scope: Scope) -> dict[str, list[Binding]]:
        """Every name that ``scope`` itself binds; names a function declares ``global`` count for the module."""
        if id(scope) not in self._bindings:
            found: dict[str, list[Binding]] = {}
            foreign = _declared(scope)
            for binding in _bound_in(scope):
                if binding.name not in foreign:
                    found.setdefault(binding.name, []).append(binding)
            if isinstance(scope, cst.Module):
                for binding in _global_bindings(self.tree):
                    found.setdefault(binding.name, []).append(binding)
            self._bindings[id(scope)] = found
        return self._bindings[id(scope)]

    def visible_scopes(self, at: cst.CSTNode) -> list[Scope]:
        """The scopes whose names can be used at ``at``, innermost first."""
        scopes = list(self.tree.scopes(at)) or [self.tree.module]
        return [scope for place, scope in enumerate(scopes) if place == 0 or not isinstance(scope, cst.ClassDef)]

    def lookup(self, name: str, at: cst.CSTNode) -> tuple[Scope, list[Binding]] | None:
        """The scope that ``name`` belongs to at ``at`` and all its bindings there; ``None`` if nobody binds it."""
        for scope in self.visible_scopes(at):
            found = self.bindings(scope).get(name)
            if found:
                return scope, found
        return None

    def available(self, name: str, at: cst.CSTNode) -> bool:
        """Whether ``name`` surely has a value when ``at`` runs."""
        found = self.lookup(name, at)
        if found is None:
            return False
        scope, bindings = found
        if any(binding.kind == "param" for binding in bindings):
            return True
        if self.visible_scopes(at)[0] is not scope:
            block = scope.body if isinstance(scope, cst.Module) else getattr(scope.body, "body", ())
            return any(self.binds(statement, bindings) for statement in block) or self._bound_above(at, scope, bindings)
        return self._bound_above(at, scope, bindings)

    def _bound_above(self, at: cst.CSTNode, scope: Scope, bindings: Sequence[Binding]) -> bool:
        for below, step in self.tree.upward(at):
            block = getattr(step, "body", ())
            if isinstance(step, (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite, cst.SimpleStatementLine)):
                for statement in block:
                    if statement is below:
                        break
                    if self.binds(statement, bindings):
                        return True
            elif below is getattr(step, "body", None) and any(binding.node is step for binding in bindings):
                return True
            if step is scope:
                return False
        return False

    def binds(self, statement: cst.CSTNode, bindings: Sequence[Binding]) -> bool:
        """Whether one of ``bindings`` surely happens when ``statement`` completes."""
        inside = [binding for binding in bindings if self.tree.contains(statement, binding.node)]
        if not inside:
            return False
        if isinstance(statement, (cst.SimpleStatementLine, cst.BaseSmallStatement, cst.FunctionDef, cst.ClassDef)):
            return True
        if isinstance(statement, cst.If):
            return statement.orelse is not None and self._each([statement.body, _body(statement.orelse)], inside)
        if isinstance(statement, cst.With):
            return any(binding.node is statement for binding in inside) or self._block(statement.body, inside)
        if isinstance(statement, (cst.Try, cst.TryStar)):
            return self._try(statement, inside)
        return False

    def _try(self, statement: cst.Try | cst.TryStar, bindings: Sequence[Binding]) -> bool:
        if statement.finalbody is not None and self._block(statement.finalbody.body, bindings):
            return True
        done = self._block(statement.body, bindings) or (
            statement.orelse is not None and self._block(statement.orelse.body, bindings)
        )
        return done and self._each([handler.body for handler in statement.handlers], bindings)

    def _each(self, blocks: Sequence[cst.CSTNode], bindings: Sequence[Binding]) -> bool:
        return all(leaves(block) or self._block(block, bindings) for block in blocks)

    def _block(self, block: cst.CSTNode, bindings: Sequence[Binding]) -> bool:
        if isinstance(block, cst.If):
            return self.binds(block, bindings)
        return any(self.binds(statement, bindings) for statement in getattr(block, "body", ()))


def leaves(block: cst.CSTNode) -> bool:
    """Whether a block surely ends in ``return``, ``raise``, ``continue``, ``break`` or ``sys.exit()``."""
    body = getattr(block, "body", ())
    if not isinstance(body, (list, tuple)) or not body:
        return False
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    if isinstance(last, (cst.Return, cst.Raise, cst.Continue, cst.Break)):
        return True
    if isinstance(last, cst.Expr) and isinstance(last.value, cst.Call):
        return dotted(last.value.func) in ("sys.exit", "exit", "quit", "os._exit")
    if isinstance(last, cst.If) and last.orelse is not None:
        return leaves(last.body) and leaves(_body(last.orelse))
    return False


def _body(orelse: cst.If | cst.Else) -> cst.CSTNode:
    """The block of an ``else``; an ``elif`` stands for itself."""
    return orelse.body if isinstance(orelse, cst.Else) else cst.IndentedBlock([orelse])


def own_nodes(scope: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes that run as part of ``scope``: nested functions and classes appear, their bodies do not."""
    start = scope.body if isinstance(scope, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) else scope
    stack = [start]
    while stack:
        node = stack.pop()
        yield node
        if type(node) is cst.FunctionDef or type(node) is cst.ClassDef:
            stack.extend(reversed(node.decorators))
        elif type(node) is not cst.Lambda or node is start:
            stack.extend(reversed(children(node)))


def returned(function: cst.FunctionDef) -> list[cst.BaseExpression]:
    """What the ``return`` statements of a function give; bare ones are left out."""
    return [node.value for node in own_nodes(function) if isinstance(node, cst.Return) and node.value is not None]


def targets(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The single targets of an assignment: names, attributes, subscripts; tuples and stars are opened."""
    stack: list[cst.BaseExpression] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (cst.Tuple, cst.List)):
            stack.extend(element.value for element in current.elements)
        else:
            yield current


def paired(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression | None]]:
    """The single targets of an assignment with what each gets: ``a, b = x, y`` part by part; ``None`` where unknown."""
    if not isinstance(target, (cst.Tuple, cst.List)):
        yield target, value
    elif (
        isinstance(value, (cst.Tuple, cst.List))
        and len(target.elements) == len(value.elements)
        and not any(isinstance(part, cst.StarredElement) for part in (*target.elements, *value.elements))
    ):
        for part, given in zip(target.elements, value.elements):
            yield from paired(part.value, given.value)
    else:
        yield from ((part, None) for part in targets(target))


def _declared(scope: Scope) -> set[str]:
    if isinstance(scope, cst.Module):
        return set()
    nodes = own_nodes(scope)
    return {item.name.value for node in nodes if isinstance(node, (cst.Global, cst.Nonlocal)) for item in node.names}


def _global_bindings(tree: Tree) -> Iterator[Binding]:
    for function in {id(found): found for node in tree.nodes(cst.Global) if (found := tree.function(node))}.values():
        inner = (node for node in own_nodes(function) if isinstance(node, cst.Global))
        names = {item.name.value for node in inner for item in node.names}
        yield from (binding for binding in _bound_in(function) if binding.name in names)


def _bound_in(scope: Scope) -> Iterator[Binding]:
    if isinstance(scope, (cst.FunctionDef, cst.Lambda)):
        params = scope.params
        every = [*params.posonly_params, *params.params, *params.kwonly_params, params.star_arg, params.star_kwarg]
        for param in every:
            if isinstance(param, cst.Param):
                yield Binding(param.name.value, "param", param)
    for node in own_nodes(scope):
        if type(node) in _BINDING:
            yield from _bound_by(node)


_BINDING = frozenset(
    {
        *(cst.Import, cst.ImportFrom, cst.FunctionDef, cst.ClassDef, cst.Assign, cst.AnnAssign, cst.AugAssign),
        *(cst.NamedExpr, cst.For, cst.With, cst.ExceptHandler, cst.Del, cst.MatchAs, cst.MatchStar),
    }
)


def _bound_by(node: cst.CSTNode) -> Iterator[Binding]:
    if isinstance(node, (cst.Import, cst.ImportFrom)):
        yield from _imported(node)
    elif isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        yield Binding(node.name.value, "def", node)
    elif isinstance(node, cst.Assign):
        for target in node.targets:
            for part, value in paired(target.target, node.value):
                yield from _names(part, node, value)
    elif isinstance(node, cst.AnnAssign) and node.value is not None:
        yield from _names(node.target, node, node.value)
    elif isinstance(node, cst.AugAssign):
        yield from _names(node.target, node)
    elif isinstance(node, cst.NamedExpr):
        yield from _names(node.target, node, node.value)
    elif isinstance(node, cst.For):
        yield from _names(node.target, node)
    elif isinstance(node, cst.With):
        for item in node.items:
            if item.asname is not None:
                yield from _names(item.asname.name, node, item.item)
    elif isinstance(node, cst.ExceptHandler) and node.name is not None:
        yield from _names(node.name.name, node)
    elif isinstance(node, cst.Del):
        yield from _names(node.target, node)
    elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and isinstance(node.name, cst.Name):
        yield Binding(node.name.value, "other", node)


def _names(target: cst.CSTNode, node: cst.CSTNode, value: cst.BaseExpression | None = None) -> Iterator[Binding]:
    assert isinstance(target, cst.BaseExpression)
    for single in targets(target):
        while isinstance(single, cst.StarredElement):
            single = single.value
        if isinstance(single, cst.Name):
            yield Binding(single.value, "other" if value is None else "assign", node, value)


def _imported(node: cst.Import | cst.ImportFrom) -> Iterator[Binding]:
    if isinstance(node.names, cst.ImportStar):
        return
    origin = ""
    if isinstance(node, cst.ImportFrom):
        origin = "." * len(node.relative) + (dotted(node.module) if node.module else "") + "."
    for alias in node.names:
        name = dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            yield Binding(alias.asname.name.value, "import", node, qualified=origin + name)
        else:
            first = name.partition(".")[0]
            yield Binding(first, "import", node, qualified=origin + first)


_RECENT: OrderedDict[int, Scopes] = OrderedDict()
_KEPT = 16


def scopes_of(module: cst.Module) -> Scopes:
    """The :class:`Scopes` of a module, made once (the most recent ones are kept)."""
    scopes = _RECENT.get(id(module))
    if scopes is None or scopes.tree.module is not module:
        scopes = _RECENT[id(module)] = Scopes(tree_of(module))
        while len(_RECENT) > _KEPT:
            _RECENT.popitem(last=False)
    _RECENT.move_to_end(id(module))
    return scopes

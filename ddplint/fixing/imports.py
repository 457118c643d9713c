"""How a file names things, and where it takes a new import."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.fixing import shape
from ddplint.fixing.edits import AddImport, Edit, InsertAfter, InsertBefore, Replace, ReplaceStatements
from ddplint.fixing.scopes import Binding, Scopes, scopes_of
from ddplint.fixing.tree import Tree, tree_of

if TYPE_CHECKING:
    from ddplint.source import SourceFile

__all__ = ["Named", "name_for", "placed_imports", "qualified_name"]

USUAL_ALIAS = {"torch.distributed": "dist", "numpy": "np", "torch.nn": "nn", "torch.nn.functional": "F"}
"""Modules that nearly every trainer imports under the same short name."""

IMPORTED_WHOLE = frozenset({"os", "sys", "time", "json", "socket", "torch", "math", "random"})
"""Modules whose members are usually written out: ``os.environ``, never ``from os import environ``."""

LINE_LENGTH = 88


@dataclass(frozen=True)
class Named:
    """An expression for a qualified name, and the edits that make it valid (none if it already is)."""

    expression: cst.BaseExpression
    edits: tuple[Edit, ...] = ()


def name_for(file: SourceFile, qualified: str, at: cst.CSTNode, *, module: str = "") -> Named:
    """How ``file`` says ``qualified`` at the node ``at``.

    What is already imported and visible there is used, in the shortest form the file has
    (``dist.barrier``, ``torch.distributed.barrier``, ``barrier``); otherwise an import is added in the
    file's own style under a name nothing else uses. ``module`` is the part of ``qualified`` that is a
    module; by default all but the last name.
    """
    scopes = scopes_of(file.module)
    spelled = _spelled(scopes, qualified, at)
    if spelled:
        return Named(shape.expression(spelled))
    module = module or qualified.rpartition(".")[0]
    add, name = _new_import(file, scopes, module, qualified[len(module) + 1 :], at)
    return Named(shape.expression(name), (add,))


def qualified_name(file: SourceFile, node: cst.CSTNode, at: cst.CSTNode | None = None) -> str:
    """The full dotted name behind ``a.b.c``, through imports and plain aliases; ``""`` where unknown.

    ``at`` is the place to read it from, for a ``node`` that is not part of the file itself.
    """
    name = shape.dotted(node)
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
    name = shape.dotted(binding.value) if binding.kind == "assign" and binding.value is not None else ""
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
        if any(shape.dotted(alias.name).startswith(between) for alias in found.names):
            return True
    used = (node for node in scopes.tree.nodes(cst.Attribute) if node.attr.value == parts[-2])
    return any(_resolved(scopes, shape.dotted(node), node) == between for node in used)


# What to add


def _new_import(file: SourceFile, scopes: Scopes, module: str, name: str, at: cst.CSTNode) -> tuple[AddImport, str]:
    """The import to add and the expression it makes valid."""
    first = module.partition(".")[0]
    plain = AddImport(file, module, used_at=at), f"{module}.{name}", first
    named = AddImport(file, module, name.partition(".")[0], used_at=at), name, name.partition(".")[0]
    short = USUAL_ALIAS.get(module, "")
    aliased = AddImport(file, module, alias=short, used_at=at), f"{short}.{name}", short
    wishes = [plain, named] if module in IMPORTED_WHOLE else [named, plain]
    if short and not _from_imports(_head(scopes.tree, at), module):
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


# Where it goes


def placed_imports(module: cst.Module, adds: Sequence[AddImport]) -> Iterator[Edit]:
    """The edits that add the imports at the head of the module.

    A name joins an existing ``from`` import of its module; a new line goes next to imports of the
    same package, else to the end of its section (standard library first), below docstring and
    ``__future__``, above the first function or class, and above the code that needs it.
    """
    tree = tree_of(module)
    widened: dict[int, tuple[cst.ImportFrom, list[AddImport]]] = {}
    placed: list[InsertAfter | InsertBefore | ReplaceStatements] = []
    for add in _wanted(adds):
        head = _head(tree, add.used_at)
        if _present(head, add):
            continue
        host = next(iter(_from_imports(head, add.module)), None) if add.name else None
        if host is not None and _has_room(host, add):
            widened.setdefault(id(host), (host, []))[1].append(add)
        else:
            placed.append(_placed(add, head, module))
    yield from _merged(placed)
    for host, joining in widened.values():
        yield Replace(joining[0].file, host, _widened(host, joining))


def _merged(edits: Sequence[InsertAfter | InsertBefore | ReplaceStatements]) -> Iterator[Edit]:
    """Lines for the same place as one edit, in the order of imports."""
    places: dict[tuple[type[Edit], int], list[InsertAfter | InsertBefore | ReplaceStatements]] = {}
    for edit in edits:
        places.setdefault((type(edit), id(edit.statement)), []).append(edit)
    for together in places.values():
        first = together[0]
        lines = sorted((edit.new_statements[0] for edit in together), key=lambda line: _key(_imports(line)[0]))
        above = shape.leading(first.new_statements[0])
        lines = [shape.with_leading(line, [] if place else above) for place, line in enumerate(lines)]
        yield replace(first, new_statements=(*lines, *first.new_statements[1:]))


def _wanted(adds: Sequence[AddImport]) -> list[AddImport]:
    """Each import once, with the first place that needs it."""
    unique: dict[tuple[str, str, str], AddImport] = {}
    for add in adds:
        unique.setdefault((add.module, add.name, add.alias), add)
    return list(unique.values())


def _head(tree: Tree, used_at: cst.CSTNode | None) -> list[cst.BaseStatement]:
    """The statements at the top of the module where imports live."""
    head: list[cst.BaseStatement] = []
    for statement in tree.module.body:
        assert isinstance(statement, cst.BaseStatement)
        if used_at is not None and used_at in tree and tree.contains(statement, used_at) and not _imports(statement):
            break
        if not isinstance(statement, (cst.SimpleStatementLine, cst.If, cst.Try)):
            break
        head.append(statement)
    return head


def _imports(statement: cst.CSTNode) -> list[cst.Import | cst.ImportFrom]:
    """The imports on a line, or in the body of a ``try``."""
    if isinstance(statement, cst.SimpleStatementLine):
        return [small for small in statement.body if isinstance(small, (cst.Import, cst.ImportFrom))]
    if isinstance(statement, cst.Try):
        return [found for inner in getattr(statement.body, "body", ()) for found in _imports(inner)]
    return []


def _from_imports(head: Sequence[cst.BaseStatement], module: str) -> list[cst.ImportFrom]:
    lines = [found for line in head if isinstance(line, cst.SimpleStatementLine) for found in _imports(line)]
    return [
        found
        for found in lines
        if isinstance(found, cst.ImportFrom)
        and not isinstance(found.names, cst.ImportStar)
        and _module_of(found) == module
    ]


def _module_of(found: cst.Import | cst.ImportFrom) -> str:
    if isinstance(found, cst.ImportFrom):
        return "." * len(found.relative) + (shape.dotted(found.module) if found.module else "")
    return shape.dotted(found.names[0].name)


def _present(head: Sequence[cst.BaseStatement], add: AddImport) -> bool:
    for found in (found for line in head if isinstance(line, cst.SimpleStatementLine) for found in _imports(line)):
        if isinstance(found.names, cst.ImportStar):
            continue
        for alias in found.names:
            name = shape.dotted(alias.name)
            whole = ("", name) if isinstance(found, cst.Import) else (_module_of(found), name)
            asname = shape.dotted(alias.asname.name) if alias.asname is not None else ""
            if (whole, asname) == ((add.module, add.name) if add.name else ("", add.module), add.alias):
                return True
    return False


# Joining a from import


def _has_room(host: cst.ImportFrom, add: AddImport) -> bool:
    """Whether the name fits: one name per line, or a line that stays short."""
    assert not isinstance(host.names, cst.ImportStar)
    if host.lpar is not None and isinstance(host.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return True
    text = cst.Module([]).code_for_node(host)
    return "\n" not in text and len(text) + len(add.name) + len(add.alias) + 6 <= LINE_LENGTH


def _widened(host: cst.ImportFrom, adds: Sequence[AddImport]) -> cst.ImportFrom:
    assert not isinstance(host.names, cst.ImportStar)
    names = list(host.names)
    for add in adds:
        asname = cst.AsName(cst.Name(add.alias)) if add.alias else None
        end = names[-1].comma
        names[-1] = names[-1].with_changes(comma=_separator(host, names))
        names.append(cst.ImportAlias(cst.Name(add.name), asname, comma=_without_comment(end)))
        if _has_comment(end):
            names[-2] = names[-2].with_changes(comma=end.with_changes(whitespace_after=_kept(host, end)))  # type: ignore[union-attr]
    return host.with_changes(names=names)


def _separator(host: cst.ImportFrom, names: Sequence[cst.ImportAlias]) -> cst.Comma:
    if len(names) > 1:
        return _without_comment(names[-2].comma) or cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))  # type: ignore[return-value]
    if host.lpar is not None and isinstance(host.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=_plain(host.lpar.whitespace_after))
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _has_comment(comma: cst.Comma | cst.MaybeSentinel) -> bool:
    space = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    return isinstance(space, cst.ParenthesizedWhitespace) and (
        space.first_line.comment is not None or bool(shape.comments(space.empty_lines))
    )


def _without_comment(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    if isinstance(comma, cst.Comma) and isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace):
        return comma.with_changes(whitespace_after=_plain(comma.whitespace_after))
    return comma


def _plain(space: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    return space.with_changes(first_line=cst.TrailingWhitespace(newline=space.first_line.newline), empty_lines=[])


def _kept(host: cst.ImportFrom, end: cst.Comma | cst.MaybeSentinel) -> cst.BaseParenthesizableWhitespace:
    """The comment after the last name stays with it; the next name starts where the first one does."""
    assert isinstance(end, cst.Comma)
    assert isinstance(end.whitespace_after, cst.ParenthesizedWhitespace)
    first = host.lpar.whitespace_after if host.lpar is not None else None
    if isinstance(first, cst.ParenthesizedWhitespace):
        return end.whitespace_after.with_changes(last_line=first.last_line, indent=first.indent)
    return end.whitespace_after


# A line of its own


def _placed(
    add: AddImport, head: Sequence[cst.BaseStatement], module: cst.Module
) -> InsertAfter | InsertBefore | ReplaceStatements:
    line = _line(add)
    known = [statement for statement in head if _imports(statement) and _package(statement) != "__future__"]
    package = add.module.partition(".")[0]
    group = [statement for statement in known if _package(statement) == package]
    standard = package in sys.stdlib_module_names
    if not group and standard:
        group = [statement for statement in known if _package(statement) in sys.stdlib_module_names]
    if group:
        return _in_group(add, line, group)
    if known and standard:
        return _on_top(add, line, known[0])
    if known:
        absolute = [statement for statement in known if _package(statement)]
        return InsertAfter(add.file, (absolute or known)[-1], (line,))
    preamble = [statement for statement in head if _is_preamble(statement, module)]
    if preamble:
        return InsertAfter(add.file, preamble[-1], (line.with_changes(leading_lines=[_BLANK]),))
    return _on_top(add, line, module.body[0])


_BLANK = cst.EmptyLine(indent=False)


def _on_top(add: AddImport, line: cst.SimpleStatementLine, first: cst.CSTNode) -> ReplaceStatements:
    """Above ``first``, with a blank line between."""
    assert isinstance(first, cst.BaseStatement)
    blank, close = shape.split_leading(shape.leading(first))
    below = shape.with_leading(first, [*(blank or [_BLANK]), *close])
    return ReplaceStatements(add.file, first, (line.with_changes(leading_lines=blank), below))


def _in_group(
    add: AddImport, line: cst.SimpleStatementLine, group: Sequence[cst.BaseStatement]
) -> InsertAfter | InsertBefore:
    keys = [_key(_imports(statement)[0]) for statement in group]
    key = _key(_imports(line)[0])
    if keys != sorted(keys):
        return InsertAfter(add.file, group[-1], (line,))
    above = [statement for statement, other in zip(group, keys, strict=True) if other <= key]
    if above:
        return InsertAfter(add.file, above[-1], (line,))
    return InsertBefore(add.file, group[0], (line,))


def _key(found: cst.Import | cst.ImportFrom) -> tuple[bool, str]:
    return isinstance(found, cst.ImportFrom), _module_of(found).lower()


def _package(statement: cst.CSTNode) -> str:
    return _module_of(_imports(statement)[0]).partition(".")[0]


def _is_preamble(statement: cst.BaseStatement, module: cst.Module) -> bool:
    if _imports(statement):
        return True
    if statement is not module.body[0] or not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))


def _line(add: AddImport) -> cst.SimpleStatementLine:
    asname = cst.AsName(cst.Name(add.alias)) if add.alias else None
    if add.name:
        alias = cst.ImportAlias(cst.Name(add.name), asname)
        return cst.SimpleStatementLine([cst.ImportFrom(shape.expression(add.module), [alias])])
    return cst.SimpleStatementLine([cst.Import([cst.ImportAlias(shape.expression(add.module), asname)])])

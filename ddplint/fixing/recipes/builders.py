"""What rules build their fixes from. Everything comes out in the style of the file.

A rule makes a :class:`Site` for the node it wants to rewrite, calls the functions below, and puts the edits they
return into a :class:`ddplint.rule.Fix`; a :class:`CannotBuild` becomes the finding's ``no_fix``::

    site = Site(file, event.node, knowledge)
    try:
        edits = hoist_out_of_guard(site, guard.statement, differs=[guard.node])
    except CannotBuild as reason:
        return finding(..., no_fix=str(reason))
    return finding(..., fix=Fix("Move the barrier out of the guard", Safety.SAFE, edits))
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.findings.edits import Edit, InsertBefore, Replace, ReplaceStatements
from ddplint.fixing.code import shape
from ddplint.fixing.code.depends import assigned_paths, leaving, may_read, reads
from ddplint.fixing.code.logic import conjuncts, joined, negated
from ddplint.fixing.code.site import Built, CannotBuild, Code, NeededByAll, Site
from ddplint.fixing.recipes.above import move_above_exit
from ddplint.fixing.recipes.ahead import call_before
from ddplint.fixing.recipes.arguments import set_keyword
from ddplint.fixing.recipes.hoist import hoist_above_exit, hoist_out_of_expression, hoist_out_of_guard
from ddplint.fixing.recipes.reuse import barrier_statement, own_object, rank_test
from ddplint.source.ancestry import Statement, descend

__all__ = [
    "Built",
    "CannotBuild",
    "NeededByAll",
    "Code",
    "Edit",
    "Site",
    "barrier_statement",
    "call_before",
    "conjuncts",
    "guard_statements",
    "hoist_above_exit",
    "hoist_out_of_expression",
    "hoist_out_of_guard",
    "insert_set_epoch",
    "joined",
    "move_above_exit",
    "negated",
    "own_object",
    "quoted",
    "rank_test",
    "set_keyword",
    "timeout_expression",
    "unwrapped",
    "wrap_in_timedelta",
]


def guard_statements(
    site: Site, statements: Sequence[Statement], test: cst.BaseExpression, *, after: Sequence[cst.BaseStatement] = ()
) -> tuple[Edit, ...]:
    """Put consecutive statements of one block under ``if test:``, and ``after`` (a barrier) behind that.

    Comments above the first statement go above the ``if``. Raises :class:`CannotBuild` where the statements leave the
    block, or set something that is read elsewhere, which then only some ranks would have.
    """
    exit_ = leaving(statements)
    if exit_:
        raise CannotBuild(f"a {exit_} would have to be guarded")
    for path in sorted(assigned_paths(statements)):
        if _read_elsewhere(site, statements, path):
            raise NeededByAll(f"`{path}` is set here and used elsewhere by every rank")
    first, *others = statements
    above = shape.leading(first)
    lines = [_as_line(statement) for statement in statements]
    block = cst.IndentedBlock([shape.with_leading(lines[0], []), *lines[1:]])
    guarded = cst.If(test, block, leading_lines=above)
    moved = [ReplaceStatements(site.file, statement, ()) for statement in others]
    return (ReplaceStatements(site.file, first, (guarded, *after)), *moved)


def _as_line(statement: Statement) -> cst.BaseStatement:
    if isinstance(statement, cst.BaseStatement):
        return statement
    return cst.SimpleStatementLine([statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])


def _read_elsewhere(site: Site, statements: Sequence[Statement], path: str) -> bool:
    inside = site.function.body if site.function is not None and "." not in path else site.module
    stack: list[cst.CSTNode] = [inside]
    outside: set[str] = set()
    own = set(map(id, statements))
    while stack:
        node = stack.pop()
        if id(node) in own:
            continue
        if isinstance(node, (cst.BaseSmallStatement, cst.BaseExpression)):
            outside |= reads(node) if not _holds(site, node, statements) else set()
        else:
            stack.extend(child for child in node.children if isinstance(child, cst.CSTNode))
    return any(may_read([path], other) for other in outside)


def _holds(site: Site, node: cst.CSTNode, statements: Sequence[Statement]) -> bool:
    return node in site.tree and any(site.tree.contains(node, statement) for statement in statements)


def timeout_expression(site: Site, *, minutes: int = 30, env: str = "") -> Built:
    """``timedelta(minutes=30)``, or with ``env`` the minutes that this environment variable gives, else ``minutes``."""
    kind = site.name("datetime.timedelta")
    if not env:
        return Built(_timedelta(kind.expression, "minutes", cst.Integer(str(minutes))), kind.edits)
    environ = site.name("os.environ")
    get = cst.Attribute(environ.expression, cst.Name("get"))
    given = cst.Call(get, [cst.Arg(quoted(site, env)), cst.Arg(quoted(site, str(minutes)))])
    value = cst.Call(cst.Name("int"), [cst.Arg(given)])
    return Built(_timedelta(kind.expression, "minutes", value), (*kind.edits, *environ.edits))


def wrap_in_timedelta(site: Site, value: cst.BaseExpression, *, unit: str = "seconds") -> Built:
    """``timedelta(seconds=value)``."""
    kind = site.name("datetime.timedelta")
    return Built(_timedelta(kind.expression, unit, value), kind.edits)


def _timedelta(kind: cst.BaseExpression, unit: str, value: cst.BaseExpression) -> cst.Call:
    return set_keyword(cst.Call(kind), unit, value)


def quoted(site: Site, text: str) -> cst.SimpleString:
    """A string literal with the quotes the file mostly uses."""
    counts = {'"': 0, "'": 0}
    for node in descend(site.module):
        if isinstance(node, cst.SimpleString) and node.quote in counts:
            counts[node.quote] += 1
    quote = "'" if counts["'"] > counts['"'] else '"'
    return cst.SimpleString(f"{quote}{text}{quote}")


def insert_set_epoch(site: Site, loop: cst.For, sampler: cst.BaseExpression) -> tuple[Edit, ...]:
    """``sampler.set_epoch(epoch)`` as the first statement of an epoch loop; ``for _ in`` gets a name for its number.

    Raises :class:`CannotBuild` where the loop counts nothing.
    """
    edits: list[Edit] = []
    if not isinstance(loop.target, cst.Name):
        raise CannotBuild("the loop over epochs has no counter")
    epoch = loop.target.value
    if epoch.strip("_") == "":
        epoch = site.moved(loop).unused("epoch")
        edits.append(Replace(site.file, loop.target, cst.Name(epoch)))
    call = cst.Call(cst.Attribute(sampler, cst.Name("set_epoch")), [cst.Arg(cst.Name(epoch))])
    line = cst.SimpleStatementLine([cst.Expr(call)])
    first = loop.body.body[0]
    return (*edits, InsertBefore(site.file, first, (line,)))


def unwrapped(site: Site, wrapper: cst.BaseExpression, *, maybe_plain: bool = False) -> Built:
    """The module inside a wrapper: ``model.module``, or ``accelerator.unwrap_model(model)`` where there is one.

    With ``maybe_plain`` the value is not wrapped on every run (one
    process), so ``getattr(model, "module", model)`` is built.
    """
    accelerator = own_object(site, "unwrap_model")
    if accelerator is not None:
        return Built(cst.Call(cst.Attribute(accelerator, cst.Name("unwrap_model")), [cst.Arg(wrapper)]))
    if maybe_plain:
        args = [wrapper, quoted(site, "module"), wrapper]
        return Built(cst.Call(cst.Name("getattr"), [cst.Arg(value) for value in args]))
    plain = isinstance(wrapper, (cst.Name, cst.Attribute, cst.Subscript, cst.Call)) or wrapper.lpar
    value = wrapper if plain else wrapper.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return Built(cst.Attribute(value, cst.Name("module")))

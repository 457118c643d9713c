"""Cut a guarded block at the operation that is to leave it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from ddplint.fixing.code import layout, shape
from ddplint.fixing.code.site import CannotBuild, Site
from ddplint.source.tree import dotted

HARMLESS_MANAGERS = frozenset(
    {"autocast", "enable_grad", "inference_mode", "no_grad", "nullcontext", "set_grad_enabled"}
)
"""Context managers that every rank may enter: they open nothing and wait for nobody."""

_Lines = list[cst.BaseStatement]


@dataclass(frozen=True, eq=False)
class Parts:
    """A guarded block: the statements ``before`` the operation, the operation, those ``after`` it.

    ``operation`` is the statement with the operation; where it stands in inner ``if`` or ``with`` statements,
    ``shells`` are those, outermost first, each with the statements beside the operation in it. ``inner`` counts how
    many of these have to be guarded again. ``footer`` are the comments at the end of the block. Where further
    operations leave, ``then`` are the parts of what comes after the first one, and ``after`` is empty.
    """

    before: _Lines
    operation: cst.BaseStatement
    after: _Lines
    shells: tuple[tuple[cst.If | cst.With, _Lines, _Lines], ...] = ()
    footer: tuple[cst.EmptyLine, ...] = ()
    then: Parts | None = None

    @property
    def lines(self) -> _Lines:
        """All statements before the last operation, and all operations."""
        here = [*self.before, *self.inside, self.operation]
        return here + self.then.lines if self.then else here

    @property
    def pieces(self) -> int:
        """How many runs of statements are guarded again."""
        return bool(self.before) + self.inner + (self.then.pieces if self.then else bool(self.after))

    @property
    def inner(self) -> int:
        """How many runs of statements inside the shells have to be guarded again."""
        return sum(bool(lines) for _, before, after in self.shells for lines in (before, after))

    @property
    def inside(self) -> _Lines:
        """The statements before the operation inside the shells."""
        return [line for _, before, _ in self.shells for line in before]

    @property
    def heads(self) -> list[cst.CSTNode]:
        """What the shells ask and enter before the operation."""
        found: list[cst.CSTNode] = []
        for shell, _, _ in self.shells:
            found += [shell.test] if isinstance(shell, cst.If) else shell.items
        return found

    def rebuilt(self, guarded: Callable[[Sequence[cst.BaseStatement]], _Lines]) -> cst.BaseStatement:
        """The operation in its shells, with everything beside it put through ``guarded``."""
        current = self.operation
        for shell, before, after in reversed(self.shells):
            lines = [*(guarded(before) if before else []), current, *(guarded(after) if after else [])]
            body = shell.body
            block = body.with_changes(body=lines) if isinstance(body, cst.IndentedBlock) else cst.IndentedBlock(lines)
            current = shell.with_changes(body=block)
        return current


def split_at(site: Site, suite: cst.BaseSuite, name: str, taken: Collection[str] = ()) -> Parts:
    """The parts of ``suite`` around the operation at ``site``.

    ``name`` is the variable for its result where the operation is only part of a statement. Raises
    :class:`CannotBuild` where it stands in a loop, a ``try``, a nested function or a conditional expression.
    """
    before, holder, after = _around(site, _lines(suite))
    shells: list[tuple[cst.If | cst.With, _Lines, _Lines]] = []
    current = holder
    while isinstance(current, cst.BaseCompoundStatement) and current is not site.node:
        shell = _shell(site, current)
        if shell is None:
            break
        inner_before, current, inner_after = _around(site, _lines(shell.body))
        shells.append((shell, inner_before, inner_after))
    operation, stays = _operation(site, current, name, taken)
    if stays is not None and shells:
        outer, inner_before, inner_after = shells[-1]
        shells[-1] = outer, inner_before, [stays, *inner_after]
    elif stays is not None:
        after = [stays, *after]
    footer = shape.comments(suite.footer) if isinstance(suite, cst.IndentedBlock) else []
    return Parts(before, operation, after, tuple(shells), tuple(footer))


def split_at_all(sites: Sequence[Site], suite: cst.BaseSuite, name: str, taken: frozenset[str] = frozenset()) -> Parts:
    """The parts of ``suite`` around several operations, in the order they stand in it; see :func:`split_at`.

    ``taken`` are names that results must not get.
    """
    first, *rest = sites
    parts = split_at(first, suite, name, taken)
    if not rest:
        return parts
    if not parts.after:
        raise CannotBuild("two operations are part of one statement")
    return replace(parts, after=[], then=split_at_all(rest, cst.IndentedBlock(parts.after), "", taken | _set_by(parts)))


def _set_by(parts: Parts) -> set[str]:
    small = parts.operation.body[0] if isinstance(parts.operation, cst.SimpleStatementLine) else None
    targets = small.targets if isinstance(small, cst.Assign) else ()
    return {dotted(target.target) for target in targets}


def _lines(suite: cst.BaseSuite) -> _Lines:
    """The statements of a block, one-line suites as lines."""
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)]
    return list(suite.body)  # type: ignore[arg-type]


def _around(site: Site, lines: _Lines) -> tuple[_Lines, cst.BaseStatement, _Lines]:
    for place, line in enumerate(lines):
        if isinstance(line, cst.SimpleStatementLine):
            cut = _cut(site, line)
            if cut is not None:
                before, middle, after = cut
                return [*lines[:place], *before], middle, [*after, *lines[place + 1 :]]
        elif line in site.tree and site.tree.contains(line, site.node):
            return lines[:place], line, lines[place + 1 :]
    raise CannotBuild("the operation is not a statement of the guarded block")


def _cut(site: Site, line: cst.SimpleStatementLine) -> tuple[_Lines, cst.BaseStatement, _Lines] | None:
    """A line with semicolons as up to three lines."""
    for place, small in enumerate(line.body):
        if small in site.tree and site.tree.contains(small, site.node):
            if len(line.body) == 1:
                return [], line, []
            return _some(line, 0, place), _some(line, place, place + 1)[0], _some(line, place + 1, len(line.body))
    return None


def _some(line: cst.SimpleStatementLine, start: int, end: int) -> _Lines:
    body = list(line.body[start:end])
    if not body:
        return []
    if end < len(line.body):
        body[-1] = body[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    piece = cst.SimpleStatementLine(body)
    if end == len(line.body):
        piece = piece.with_changes(trailing_whitespace=line.trailing_whitespace)
    return [piece.with_changes(leading_lines=line.leading_lines) if start == 0 else piece]


def _shell(site: Site, statement: cst.BaseCompoundStatement) -> cst.If | cst.With | None:
    """The ``if`` or ``with`` whose body holds the operation; ``None`` where the operation is in its head."""
    body = getattr(statement, "body", None)
    if isinstance(statement, cst.If):
        if site.tree.contains(statement.test, site.node):
            return None
        if statement.orelse is not None or not shape.is_pure(statement.test):
            raise CannotBuild("the operation is under a further condition that may not be asked on all ranks")
        return statement
    if isinstance(statement, cst.With) and body is not None and site.tree.contains(body, site.node):
        if all(_is_harmless(item.item) for item in statement.items):
            return statement
        raise CannotBuild("the operation is in a with block that other ranks may not enter")
    if isinstance(statement, cst.With):
        return None
    kinds = {cst.For: "a loop", cst.While: "a loop", cst.Try: "a try statement", cst.FunctionDef: "a nested function"}
    raise CannotBuild(f"the operation is in {kinds.get(type(statement), 'a statement')} of the guarded block")


def _is_harmless(item: cst.BaseExpression) -> bool:
    name = dotted(item.func if isinstance(item, cst.Call) else item)
    return name.rpartition(".")[2] in HARMLESS_MANAGERS


def _operation(
    site: Site, statement: cst.BaseStatement, name: str, taken: Collection[str]
) -> tuple[cst.BaseStatement, cst.BaseStatement | None]:
    """The statement that leaves the guard, and the one that stays behind where only a call leaves."""
    small = statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) else None
    value = getattr(small, "value", None)
    if isinstance(site.node, (cst.BaseSmallStatement, cst.BaseStatement)):
        return statement, None
    if isinstance(value, cst.Await):
        value = value.expression
    if isinstance(small, (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign)) and value is site.node:
        return statement, None
    assert isinstance(site.node, cst.BaseExpression)
    check_unconditional(site, statement)
    name = name or result_name(site, site.node, taken)
    assign = cst.SimpleStatementLine(
        [cst.Assign([cst.AssignTarget(cst.Name(name))], layout.outdented(site.node))],
        leading_lines=shape.leading(statement),
    )
    stays = statement.with_changes(leading_lines=[]).deep_replace(site.node, cst.Name(name))
    assert isinstance(stays, cst.BaseStatement)
    return assign, stays


def check_unconditional(site: Site, statement: cst.BaseStatement) -> None:
    """Raise :class:`CannotBuild` where the statement may complete without the operation at ``site``."""
    for below, step in site.tree.upward(site.node):
        guarded = (
            isinstance(step, (cst.Lambda, cst.BaseComp))
            or (isinstance(step, cst.IfExp) and below is not step.test)
            or (isinstance(step, cst.BooleanOperation) and below is step.right)
        )
        if guarded:
            raise CannotBuild("the operation is part of a conditional expression")
        if isinstance(step, (cst.BaseSmallStatement, cst.BaseCompoundStatement)) or step is statement:
            return


def result_name(site: Site, call: cst.BaseExpression, taken: Collection[str] = ()) -> str:
    """``state_dict`` for ``model.state_dict()``, as long as nothing else has that name, nor is it in ``taken``."""
    func = call.func if isinstance(call, cst.Call) else call
    wish = func.attr.value if isinstance(func, cst.Attribute) else dotted(func).rpartition(".")[2]
    wish = (wish or "result").lstrip("_")
    is_method = isinstance(func, cst.Attribute) and not site.qualified(func.value)
    name = wish if is_method else f"{wish}_result"
    count = 1
    while name in taken or site.scopes.lookup(name, site.node) is not None:
        count += 1
        name = f"{wish}_result" if count == 2 else f"{wish}_result_{count - 1}"
    return name

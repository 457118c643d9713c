"""Rebuild a module around planned edits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ddplint.fixing.code import shape
from ddplint.fixing.code.layout import Lines, Statements, apart, header_comment, left_behind, passing, relined, unjoined
from ddplint.fixing.edit.plan import Plan
from ddplint.source.ancestry import is_whitespace


class _Gone(Exception):
    """A compound statement vanishes; the comment lines it leaves behind."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self.lines = lines


@dataclass
class Rebuild:
    """Rebuilds the nodes on the way to an edit; all others stay the same objects."""

    plan: Plan
    indent: str | None = None
    open: set[int] = field(default_factory=set)
    inside_new: int = 0

    def module(self, module: cst.Module) -> cst.Module:
        body, orphans = self.block(module.body)
        return module.with_changes(body=body, footer=[*orphans, *module.footer])

    # Nodes in general

    def node(self, node: cst.CSTNode) -> cst.CSTNode:
        """``node`` with every edit at or below it carried out."""
        new = self.plan.replaced.get(id(node))
        if new is not None and id(node) not in self.open:
            self.open.add(id(node))
            try:
                return self.node(new)
            finally:
                self.open.discard(id(node))
        if is_whitespace(node) or (node in self.plan.tree and id(node) not in self.plan.dirty):
            return node
        if isinstance(node, cst.BaseCompoundStatement):
            return self.compound(node)
        if isinstance(node, cst.BaseSuite):
            return self.filled(node)
        return self.parts(node)

    def parts(self, node: cst.CSTNode, done: Iterable[str] = ()) -> cst.CSTNode:
        """``node`` with its children rebuilt, but for the fields in ``done``."""
        changes: dict[str, Any] = {}
        for name in type(node).__dataclass_fields__:
            value = getattr(node, name)
            if name in done:
                continue
            if isinstance(value, cst.CSTNode):
                new: Any = self.node(value)
                if new is not value:
                    changes[name] = new
            elif isinstance(value, (list, tuple)) and value:
                new = [self.node(item) if isinstance(item, cst.CSTNode) else item for item in value]
                if any(old is not item for old, item in zip(value, new, strict=True)):
                    changes[name] = new
        return node.with_changes(**changes) if changes else node

    # Statements with blocks

    def compound(self, node: cst.BaseCompoundStatement) -> cst.BaseCompoundStatement:
        """Rebuild a statement with blocks. Raises :class:`_Gone` for an ``if`` that nothing is left of."""
        changes: dict[str, Any] = {}
        orelse = getattr(node, "orelse", None)
        if orelse is not None and self.touched(orelse):
            changes["orelse"] = self.otherwise(orelse)
        kept = changes.get("orelse", orelse)
        if isinstance(node, cst.If) and self.touched(node.body):
            suite, orphans = self.suite(node.body)
            if suite is None and kept is None and shape.is_pure(node.test):
                raise _Gone([*shape.leading(node), *header_comment(node.body), *orphans])
            changes["body"] = suite or passing(node.body, orphans)
        rebuilt = self.parts(node, done={"orelse", *changes})
        return rebuilt.with_changes(**changes) if changes else rebuilt  # type: ignore[return-value]

    def otherwise(self, orelse: cst.CSTNode) -> cst.CSTNode | None:
        """Rebuild an ``elif`` or ``else`` clause; ``None`` where nothing is left of it."""
        if isinstance(orelse, cst.Else) and id(orelse) not in self.plan.replaced:
            suite, orphans = self.suite(orelse.body)
            if suite is None and not orphans and not shape.leading(orelse):
                return None
            return orelse.with_changes(body=suite or passing(orelse.body, orphans))
        try:
            return self.node(orelse)
        except _Gone as gone:
            assert isinstance(orelse, cst.If)
            return orelse.with_changes(body=passing(orelse.body, gone.lines)) if gone.lines else None

    def touched(self, node: cst.CSTNode) -> bool:
        return node not in self.plan.tree or id(node) in self.plan.dirty

    # Blocks

    def filled(self, suite: cst.BaseSuite) -> cst.BaseSuite:
        """A block that may not vanish: ``pass`` where nothing is left."""
        rebuilt, orphans = self.suite(suite)
        return rebuilt or passing(suite, orphans)

    def suite(self, suite: cst.BaseSuite) -> tuple[cst.BaseSuite | None, Lines]:
        """The block and, where nothing is left of it (``None``), its comments."""
        if isinstance(suite, cst.SimpleStatementSuite):
            return self.one_line(suite)
        assert isinstance(suite, cst.IndentedBlock)
        outer = self.indent
        if suite in self.plan.tree:
            self.indent = suite.indent
        elif suite.indent is None and outer is not None:
            suite = suite.with_changes(indent=outer)
        try:
            body, orphans = self.block(suite.body)
        finally:
            self.indent = outer
        footer = [*orphans, *suite.footer]
        return (suite.with_changes(body=body, footer=footer), []) if body else (None, shape.comments(footer))

    def one_line(self, suite: cst.SimpleStatementSuite) -> tuple[cst.BaseSuite | None, Lines]:
        """``x: a; b`` stays on its line as long as only small statements are left in it."""
        line = cst.SimpleStatementLine(body=suite.body, trailing_whitespace=suite.trailing_whitespace)
        pieces, orphans = self.line(line)
        if not pieces:
            return None, orphans
        whole = pieces[0]
        if len(pieces) == 1 and not orphans and self.came_from(whole, suite):
            assert isinstance(whole, cst.SimpleStatementLine)
            return suite.with_changes(body=whole.body), []
        return cst.IndentedBlock(body=pieces, indent=self.indent, footer=orphans), []

    def came_from(self, piece: cst.BaseStatement, suite: cst.SimpleStatementSuite) -> bool:
        return isinstance(piece, cst.SimpleStatementLine) and piece.trailing_whitespace is suite.trailing_whitespace

    def block(self, statements: Sequence[cst.CSTNode]) -> tuple[Statements, Lines]:
        """The statements of a block rebuilt, and the comment lines left over at its end."""
        out: Statements = []
        orphans: Lines = []
        for statement in statements:
            produced, left = self.item(statement)
            if produced and orphans:
                produced[0] = shape.with_leading(produced[0], [*orphans, *shape.leading(produced[0])])
                orphans = []
            out += produced
            orphans += left
        return out, orphans

    def item(self, statement: cst.CSTNode) -> tuple[Statements, Lines]:
        """What one listed statement becomes, and the comment lines it leaves behind."""
        assert isinstance(statement, cst.BaseStatement)
        if id(statement) in self.open:
            return self.middle(statement)
        before = self.fresh(self.plan.before.get(id(statement), ()))
        produced, orphans = self.middle(statement)
        if before and produced:
            blank, close = shape.split_leading(shape.leading(produced[0]))
            before[0] = shape.with_leading(before[0], [*blank, *shape.leading(before[0])])
            produced[0] = shape.with_leading(produced[0], [*apart(produced[0], blank, before[-1]), *close])
        return [*before, *produced, *self.fresh(self.plan.after.get(id(statement), ()))], orphans

    def middle(self, statement: cst.BaseStatement) -> tuple[Statements, Lines]:
        new = self.plan.statements.get(id(statement))
        arrived = self.inside_new and new == () and id(statement) not in self.plan.removed
        if new is not None and id(statement) not in self.open and not arrived:
            if not new:
                return [], left_behind(statement) if id(statement) in self.plan.removed else []
            self.open.add(id(statement))
            try:
                return self.fresh(new), []
            finally:
                self.open.discard(id(statement))
        if isinstance(statement, cst.SimpleStatementLine) and any(map(self.plan.listed, statement.body)):
            return self.line(statement)
        try:
            rebuilt = self.node(statement)
        except _Gone as gone:
            return [], gone.lines
        assert isinstance(rebuilt, cst.BaseStatement)
        return [rebuilt], []

    def fresh(self, statements: Iterable[cst.BaseStatement]) -> Statements:
        """New statements, with the edits inside them carried out and their blocks indented as here."""
        out: Statements = []
        self.inside_new += 1
        for statement in statements:
            out += self.item(statement)[0]
        self.inside_new -= 1
        return out

    # Lines with semicolons

    def line(self, line: cst.SimpleStatementLine) -> tuple[Statements, Lines]:
        """``a; b; c`` cut up where an edit inserts or replaces a whole statement."""
        pieces: Statements = []
        group: list[cst.BaseSmallStatement] = []
        last: int | None = None

        def flush() -> None:
            nonlocal last
            if group:
                last = len(pieces)
                pieces.append(cst.SimpleStatementLine(body=unjoined(group, line.body[-1])))
                group.clear()

        for small in line.body:
            before, after = self.plan.before.get(id(small)), self.plan.after.get(id(small))
            new = self.plan.statements.get(id(small))
            if before:
                flush()
                pieces += self.fresh(before)
            if new is None:
                group.append(self.node(small))  # type: ignore[arg-type]
            elif new:
                flush()
                pieces += self.fresh(new)
            if after:
                flush()
                pieces += self.fresh(after)
        flush()
        return relined(line, pieces, last)

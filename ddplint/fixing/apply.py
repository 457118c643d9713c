"""Carry out a set of edits on a module. Everything outside them keeps its very bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ddplint.fixing import shape
from ddplint.fixing.diff import line_opcodes, lines_of
from ddplint.fixing.edits import (
    AddImport,
    Edit,
    EditError,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceStatements,
)
from ddplint.fixing.tree import Tree, is_whitespace, tree_of

__all__ = ["apply_edits", "rewritten"]

_Lines = list[cst.EmptyLine]
_Statements = list[cst.BaseStatement]


def apply_edits(module: cst.Module, edits: Iterable[Edit]) -> cst.Module:
    """The module with all ``edits`` carried out.

    The edits must name nodes of ``module``; their ``file`` is not looked at. Several insertions at one
    place keep their order. Raises :class:`EditError` where an edit names a node the module does not
    have, two of them want the same node, or a place cannot take a statement.
    """
    from ddplint.fixing.imports import placed_imports

    edits = list(edits)
    plan = _Plan(tree_of(module))
    for edit in edits:
        if not isinstance(edit, AddImport):
            plan.add(edit)
    for edit in placed_imports(module, [edit for edit in edits if isinstance(edit, AddImport)]):
        plan.add(edit)
    return _Rebuild(plan).module(module)


def rewritten(text: str, module: cst.Module, changed: cst.Module) -> str:
    """The text of ``changed``, with the lines it shares with ``module`` as ``text`` has them.

    LibCST loses a few characters (form feeds before a statement, comments after the last line of some files); what it
    lost stays where it was. Raises :class:`EditError` where an edit touches just that.
    """
    before, after = module.code, changed.code
    return after if before == text else _restored(lines_of(text), lines_of(before), lines_of(after))


def _restored(original: list[str], before: list[str], after: list[str]) -> str:
    known = [opcode for opcode in line_opcodes(before, original) if opcode[0] == "equal"]

    def place(line: int) -> int:
        for _, start, end, there, _ in known:
            if start <= line <= end:
                return there + line - start
        raise EditError("the code to be rewritten stands next to characters that cannot be reproduced exactly")

    parts: list[str] = []
    done = 0
    for tag, old, old_end, new, new_end in line_opcodes(before, after):
        if tag != "equal":
            parts += [*original[done : place(old)], *after[new:new_end]]
            done = place(old_end)
    return "".join([*parts, *original[done:]])


@dataclass
class _Plan:
    """Edits sorted by the node they name, and the nodes that must be rebuilt because of them."""

    tree: Tree
    replaced: dict[int, cst.CSTNode] = field(default_factory=dict)
    statements: dict[int, tuple[cst.BaseStatement, ...]] = field(default_factory=dict)
    before: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    after: dict[int, list[cst.BaseStatement]] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)

    def add(self, edit: Edit) -> None:
        """Take one edit in."""
        if isinstance(edit, Replace):
            self._once(self.replaced, self._known(edit.node), edit.new_node)
            return
        assert not isinstance(edit, AddImport)
        target = self._listed(edit.statement)
        if isinstance(edit, InsertBefore):
            self.before.setdefault(id(target), []).extend(edit.new_statements)
        elif isinstance(edit, InsertAfter):
            self.after.setdefault(id(target), []).extend(edit.new_statements)
        elif isinstance(edit, Remove):
            self._once(self.statements, target, ())
            self.removed.add(id(target))
        elif isinstance(edit, ReplaceStatements):
            self._once(self.statements, target, edit.new_statements)

    def _once(self, kept: dict[int, Any], node: cst.CSTNode, new: object) -> None:
        taken = id(node) in self.replaced or id(node) in self.statements
        if taken and kept.get(id(node)) is not new:
            raise EditError("two edits want the same place")
        kept[id(node)] = new

    def _known(self, node: cst.CSTNode) -> cst.CSTNode:
        if node not in self.tree:
            raise EditError("an edit names code that is not in this file")
        self.dirty.update(id(step) for step in self.tree.lineage(node))
        return node

    def _listed(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node under which a block lists the statement."""
        self._known(node)
        holder = self.tree.parent(node)
        if isinstance(node, cst.BaseSmallStatement) and isinstance(holder, cst.SimpleStatementLine):
            node = holder if len(holder.body) == 1 else node
        if not isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement)) or self.tree.block(node) is None:
            raise EditError("an edit treats code as a statement of a block that is none")
        return node

    def listed(self, node: cst.CSTNode) -> bool:
        """Whether a statement edit names this very node."""
        return id(node) in self.before or id(node) in self.after or id(node) in self.statements


class _Gone(Exception):
    """A compound statement vanishes; the comment lines it leaves behind."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__()
        self.lines = lines


@dataclass
class _Rebuild:
    """Rebuilds the nodes on the way to an edit; all others stay the same objects."""

    plan: _Plan
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
                raise _Gone([*shape.leading(node), *_header_comment(node.body), *orphans])
            changes["body"] = suite or _passing(node.body, orphans)
        rebuilt = self.parts(node, done={"orelse", *changes})
        return rebuilt.with_changes(**changes) if changes else rebuilt  # type: ignore[return-value]

    def otherwise(self, orelse: cst.CSTNode) -> cst.CSTNode | None:
        """Rebuild an ``elif`` or ``else`` clause; ``None`` where nothing is left of it."""
        if isinstance(orelse, cst.Else) and id(orelse) not in self.plan.replaced:
            suite, orphans = self.suite(orelse.body)
            if suite is None and not orphans and not shape.leading(orelse):
                return None
            return orelse.with_changes(body=suite or _passing(orelse.body, orphans))
        try:
            return self.node(orelse)
        except _Gone as gone:
            assert isinstance(orelse, cst.If)
            return orelse.with_changes(body=_passing(orelse.body, gone.lines)) if gone.lines else None

    def touched(self, node: cst.CSTNode) -> bool:
        return node not in self.plan.tree or id(node) in self.plan.dirty

    # Blocks

    def filled(self, suite: cst.BaseSuite) -> cst.BaseSuite:
        """A block that may not vanish: ``pass`` where nothing is left."""
        rebuilt, orphans = self.suite(suite)
        return rebuilt or _passing(suite, orphans)

    def suite(self, suite: cst.BaseSuite) -> tuple[cst.BaseSuite | None, _Lines]:
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

    def one_line(self, suite: cst.SimpleStatementSuite) -> tuple[cst.BaseSuite | None, _Lines]:
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

    def block(self, statements: Sequence[cst.CSTNode]) -> tuple[_Statements, _Lines]:
        """The statements of a block rebuilt, and the comment lines left over at its end."""
        out: _Statements = []
        orphans: _Lines = []
        for statement in statements:
            produced, left = self.item(statement)
            if produced and orphans:
                produced[0] = shape.with_leading(produced[0], [*orphans, *shape.leading(produced[0])])
                orphans = []
            out += produced
            orphans += left
        return out, orphans

    def item(self, statement: cst.CSTNode) -> tuple[_Statements, _Lines]:
        """What one listed statement becomes, and the comment lines it leaves behind."""
        assert isinstance(statement, cst.BaseStatement)
        if id(statement) in self.open:
            return self.middle(statement)
        before = self.fresh(self.plan.before.get(id(statement), ()))
        produced, orphans = self.middle(statement)
        if before and produced:
            blank, close = shape.split_leading(shape.leading(produced[0]))
            before[0] = shape.with_leading(before[0], [*blank, *shape.leading(before[0])])
            produced[0] = shape.with_leading(produced[0], [*_apart(produced[0], blank), *close])
        return [*before, *produced, *self.fresh(self.plan.after.get(id(statement), ()))], orphans

    def middle(self, statement: cst.BaseStatement) -> tuple[_Statements, _Lines]:
        new = self.plan.statements.get(id(statement))
        arrived = self.inside_new and new == () and id(statement) not in self.plan.removed
        if new is not None and id(statement) not in self.open and not arrived:
            if not new:
                return [], _left_behind(statement) if id(statement) in self.plan.removed else []
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

    def fresh(self, statements: Iterable[cst.BaseStatement]) -> _Statements:
        """New statements, with the edits inside them carried out and their blocks indented as here."""
        out: _Statements = []
        self.inside_new += 1
        for statement in statements:
            out += self.item(statement)[0]
        self.inside_new -= 1
        return out

    # Lines with semicolons

    def line(self, line: cst.SimpleStatementLine) -> tuple[_Statements, _Lines]:
        """``a; b; c`` cut up where an edit inserts or replaces a whole statement."""
        pieces: _Statements = []
        group: list[cst.BaseSmallStatement] = []
        last: int | None = None

        def flush() -> None:
            nonlocal last
            if group:
                last = len(pieces)
                pieces.append(cst.SimpleStatementLine(body=_unjoined(group, line.body[-1])))
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
        return _relined(line, pieces, last)


def _relined(line: cst.SimpleStatementLine, pieces: _Statements, last: int | None) -> tuple[_Statements, _Lines]:
    """Give the comments above and at the end of ``line`` to the pieces it was cut into."""
    orphans: _Lines = []
    if last is not None:
        pieces[last] = pieces[last].with_changes(trailing_whitespace=line.trailing_whitespace)
    else:
        orphans = shape.comment_line(line.trailing_whitespace)
    if pieces:
        pieces[0] = shape.with_leading(pieces[0], [*line.leading_lines, *shape.leading(pieces[0])])
    else:
        orphans = [*_left_behind(line), *orphans]
    return pieces, orphans


def _unjoined(group: list[cst.BaseSmallStatement], end: cst.BaseSmallStatement) -> list[cst.BaseSmallStatement]:
    """The group as a line of its own: no semicolon after its last statement unless the line had one there."""
    *rest, last = group
    if last is not end and isinstance(last.semicolon, cst.Semicolon):
        last = last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return [*rest, last]


def _apart(statement: cst.BaseStatement, blank: _Lines) -> _Lines:
    """A function or class keeps the blank lines above it when something is put there."""
    return list(blank) if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else []


def _left_behind(statement: cst.BaseStatement) -> _Lines:
    """What stays of the lines above a removed statement: people's comments, and the blank lines among them."""
    lines = shape.leading(statement)
    return lines if shape.comments(lines) else []


def _header_comment(suite: cst.BaseSuite) -> _Lines:
    return shape.comment_line(suite.header) if isinstance(suite, cst.IndentedBlock) else []


def _passing(suite: cst.BaseSuite, lines: _Lines) -> cst.BaseSuite:
    """The block with nothing but ``pass`` and the comments that were in it."""
    if isinstance(suite, cst.SimpleStatementSuite) and not lines:
        return suite.with_changes(body=[cst.Pass()])
    line = cst.SimpleStatementLine([cst.Pass()], leading_lines=lines)
    if isinstance(suite, cst.IndentedBlock):
        return suite.with_changes(body=[line], footer=[])
    return cst.IndentedBlock(body=[line])

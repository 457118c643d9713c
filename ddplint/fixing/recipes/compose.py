"""Lay out ``if g: a``, ``X``, ``if g: b`` with the comments and the layout of the guard they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.fixing.code import shape
from ddplint.fixing.code.logic import joined, negated
from ddplint.fixing.recipes.split import Parts

_Lines = list[cst.BaseStatement]


@dataclass(frozen=True, eq=False)
class Guard:
    """``shared`` is the part of a condition that all ranks agree on, ``own`` the part that parts them.

    ``inverted``: the operation stood in the ``else``.
    """

    shared: cst.BaseExpression | None
    own: cst.BaseExpression
    inverted: bool = False

    def test(self) -> cst.BaseExpression:
        """What the ranks that run the guarded statements test."""
        return negated(self.own) if self.inverted else self.own


def composed(guard: cst.If, taken: Guard, parts: Parts) -> _Lines:
    """The statements that take the place of ``guard``, without the blank lines above it.

    Its comments go with the first piece that is left of it, or above the operation where nothing is.
    """
    composer = _Composer(guard, taken, parts)
    if guard.orelse is None:
        pieces = composer.plain()
    elif taken.inverted:
        pieces = composer.from_else()
    else:
        pieces = composer.with_else()
    if not composer.rests:
        pieces[0] = shape.with_leading(pieces[0], [*_all_comments(guard), *shape.leading(pieces[0])])
    return pieces


class _Composer:
    def __init__(self, guard: cst.If, taken: Guard, parts: Parts) -> None:
        self.guard = guard
        self.taken = taken
        self.parts = parts
        self.rests = 0

    def plain(self) -> _Lines:
        """No ``else``: the shared part of the condition goes around everything."""
        test, parts = self.taken.test(), self.parts
        if self.taken.shared is not None:
            self.rests += 1
        pieces = self.row(test, parts)
        if self.taken.shared is None:
            return pieces
        return [self.headed(cst.If(self.taken.shared, self.block(pieces)))]

    def row(self, test: cst.BaseExpression, parts: Parts) -> _Lines:
        """Guarded statements, operation, guarded statements, next operation, and so on."""
        done = not parts.after and parts.then is None
        pieces: _Lines = [self.rest(test, parts.before, last=done)] if parts.before else []
        pieces.append(self.operation(test, parts))
        if parts.then is not None:
            return [*pieces, *self.row(test, parts.then)]
        return [*pieces, self.rest(test, parts.after, last=True)] if parts.after else pieces

    def with_else(self) -> _Lines:
        """The ``else`` goes with the first piece that is left of the guard, or stands alone."""
        orelse, shared, parts = self.guard.orelse, self.taken.shared, self.parts
        test = self.taken.own if shared is None else joined([shared, self.taken.own])
        pieces: _Lines = []
        if parts.before:
            pieces.append(self.rest(test, parts.before, orelse, last=not parts.after))
        elif not parts.after:
            pieces.append(self.only_else(test, orelse))
        middle = self.operation(self.taken.own, parts)
        pieces.append(middle if shared is None else cst.If(shared, self.block([middle])))
        if parts.after:
            pieces.append(self.rest(test, parts.after, None if parts.before else orelse, last=True))
        return pieces

    def only_else(self, test: cst.BaseExpression, orelse: cst.If | cst.Else | None) -> cst.BaseStatement:
        if isinstance(orelse, cst.Else):
            self.rests += 1
            return self.headed(cst.If(negated(test), orelse.body))
        return self.rest(test, [cst.SimpleStatementLine([cst.Pass()])], orelse, last=False)

    def from_else(self) -> _Lines:
        """The operation stood in the ``else``."""
        orelse, parts = self.guard.orelse, self.parts
        assert isinstance(orelse, cst.Else)
        left = orelse.with_changes(body=self.block(parts.before)) if parts.before else None
        self.rests += 1
        pieces: _Lines = [
            self.guard.with_changes(test=self.taken.own, orelse=left, leading_lines=_own_comments(self.guard))
        ]
        pieces.append(self.operation(self.taken.test(), parts))
        if parts.after:
            pieces.append(self.rest(self.taken.test(), parts.after, last=True))
        return pieces

    def operation(self, test: cst.BaseExpression, parts: Parts) -> cst.BaseStatement:
        """The operation, with what stands beside it in inner blocks guarded."""
        middle = parts.rebuilt(lambda lines: [self.wrapped(test, lines)])
        if self.parts.before or self.parts.after or self.parts.then or not self.parts.footer:
            return middle
        return shape.with_leading(middle, [*shape.leading(middle), *self.parts.footer])

    def wrapped(self, test: cst.BaseExpression, lines: Sequence[cst.BaseStatement]) -> cst.If:
        """The statements under the guard; blank lines above the first of them go above the ``if``."""
        first, *others = lines
        blank, close = shape.split_leading(shape.leading(first))
        return cst.If(test, self.block([shape.with_leading(first, close), *others]), leading_lines=blank)

    def rest(
        self,
        test: cst.BaseExpression,
        lines: Sequence[cst.BaseStatement],
        orelse: cst.If | cst.Else | None = None,
        *,
        last: bool,
    ) -> cst.If:
        """A piece of the guard; the first one has the comments of the original, the last one those at its end."""
        piece = self.wrapped(test, lines).with_changes(orelse=orelse)
        if last and self.parts.footer:
            piece = piece.with_changes(body=piece.body.with_changes(footer=self.parts.footer))
        self.rests += 1
        return piece if self.rests > 1 else self.headed(piece)

    def headed(self, piece: cst.If) -> cst.If:
        """The piece with the comments above and beside the head of the guard."""
        body = piece.body
        if isinstance(body, cst.IndentedBlock) and isinstance(self.guard.body, cst.IndentedBlock):
            body = body.with_changes(header=self.guard.body.header)
        return piece.with_changes(leading_lines=_own_comments(self.guard), body=body)

    def block(self, lines: Sequence[cst.BaseStatement]) -> cst.IndentedBlock:
        indent = self.guard.body.indent if isinstance(self.guard.body, cst.IndentedBlock) else None
        return cst.IndentedBlock(list(lines), indent=indent)


def _own_comments(guard: cst.If) -> list[cst.EmptyLine]:
    return shape.split_leading(guard.leading_lines)[1]


def _all_comments(guard: cst.If) -> list[cst.EmptyLine]:
    header = shape.comment_line(guard.body.header) if isinstance(guard.body, cst.IndentedBlock) else []
    return [*_own_comments(guard), *header]

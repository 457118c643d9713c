"""Edits on the LibCST nodes of a file: what a rule yields, as plain frozen facts.

An edit names nodes of ``file.module`` by identity and the code that takes their place. It never
says where that is in the text: :mod:`ddplint.fixing.edit.apply` puts it there and leaves every byte
outside it alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.source.file import SourceFile


class EditError(ValueError):
    """An edit that cannot be carried out; the text is one sentence for the user."""


@dataclass(frozen=True, eq=False)
class Replace:
    """``new_node`` takes the place of ``node``, which may be any node: expression, argument, statement.

    ``new_node`` may contain ``node`` itself (to wrap it) and any other node of the file.
    """

    file: SourceFile
    node: cst.CSTNode
    new_node: cst.CSTNode


@dataclass(frozen=True, eq=False)
class InsertBefore:
    """``new_statements`` run right before ``statement``, in the same block.

    Comments directly above ``statement`` stay with it; blank lines above it go above the insertion.
    """

    file: SourceFile
    statement: cst.CSTNode
    new_statements: tuple[cst.BaseStatement, ...]


@dataclass(frozen=True, eq=False)
class InsertAfter:
    """``new_statements`` run right after ``statement``, in the same block."""

    file: SourceFile
    statement: cst.CSTNode
    new_statements: tuple[cst.BaseStatement, ...]


@dataclass(frozen=True, eq=False)
class Remove:
    """``statement`` goes. A block that it leaves empty gets ``pass``, an ``if`` without ``else`` goes too."""

    file: SourceFile
    statement: cst.CSTNode


@dataclass(frozen=True, eq=False)
class ReplaceStatements:
    """``new_statements`` take the place of ``statement``, whose comments they must carry themselves.

    They may hold ``statement`` and any other node of the file (to move or wrap it). None at all means
    that the statement was moved elsewhere by another edit of the same fix.
    """

    file: SourceFile
    statement: cst.CSTNode
    new_statements: tuple[cst.BaseStatement, ...]


@dataclass(frozen=True)
class AddImport:
    """``import module [as alias]``, or ``from module import name [as alias]`` where ``name`` is given.

    Adding the same import twice adds it once. It goes above ``used_at``, the node that needs it.
    """

    file: SourceFile
    module: str
    name: str = ""
    alias: str = ""
    used_at: cst.CSTNode | None = field(default=None, compare=False)


Edit: TypeAlias = Replace | InsertBefore | InsertAfter | Remove | ReplaceStatements | AddImport

"""Small files, their nodes by the code they stand for, and what edits make of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import libcst as cst

from ddplint.findings.edits import Edit
from ddplint.fixing.code.site import Site
from ddplint.fixing.edit.apply import apply_edits, rewritten
from ddplint.source.ancestry import descend, tree_of
from ddplint.source.file import SourceFile


def source(text: str | bytes, path: str = "train.py") -> SourceFile:
    """A file with this text; tests may write it indented."""
    if isinstance(text, str):
        text = (textwrap.dedent(text) if text[:1] == " " else text).encode()
    data = text
    return SourceFile(path, data)


def node(file: SourceFile, code: str) -> cst.CSTNode:
    """The first expression of the file, else small statement, that reads ``code``."""
    for kind in (cst.BaseExpression, cst.BaseSmallStatement):
        for found in descend(file.module):
            if isinstance(found, kind):
                bare = found.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) if hasattr(found, "semicolon") else found
                if file.module.code_for_node(bare).strip() == code:
                    return found
    raise LookupError(code)


def statement(file: SourceFile, code: str) -> cst.CSTNode:
    """The statement that holds :func:`node`."""
    return tree_of(file.module).statement(node(file, code))


def compound(file: SourceFile, kind: type[cst.CSTNode], place: int = 0) -> cst.CSTNode:
    """The ``place``-th statement of a kind (``cst.If``, ``cst.For``)."""
    return [found for found in descend(file.module) if isinstance(found, kind)][place]


def new(code: str) -> cst.BaseStatement:
    """A new statement."""
    return cst.parse_statement(textwrap.dedent(code))  # type: ignore[return-value]


def site(file: SourceFile, code: str) -> Site:
    """The place of an expression."""
    return Site(file, node(file, code))


def applied(file: SourceFile, edits: Sequence[Edit]) -> str:
    """The text of the file with the edits in it."""
    return rewritten(file.text, file.module, apply_edits(file.module, edits))


def rewrite(text: str, edits: Callable[[SourceFile], Sequence[Edit] | Edit]) -> str:
    """What the edits that a function plans for a file make of its text."""
    file = source(text)
    made = edits(file)
    return applied(file, made if isinstance(made, (list, tuple)) else [made])


def dedent(text: str) -> str:
    """The expected text, which tests write indented."""
    return textwrap.dedent(text)

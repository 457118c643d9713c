"""A folder as a claim: who has made it does the work behind it, and the others find it there and leave that be."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.rule.code import Site, called, calls_in, dotted, leaving

_LOOKS = frozenset({"exists", "isdir", "isfile", "is_dir", "is_file"})
_ONLY_TELL = frozenset({"print", "info", "debug", "warning", "log", "format", "makedirs", "mkdir", "chmod", "exists"})


def claims(site: Site) -> bool:
    """Whether more than making the folder hangs on its not having been there.

    Parameters: ``site``, the call that makes it. With ``exist_ok=True`` several ranks would do the rest.
    """
    return any(_works(line) for line in _behind(site))


def _behind(site: Site) -> Iterator[cst.CSTNode]:
    """The statements that are reached only where the folder was not there, as far as this function shows."""
    inner: cst.CSTNode = site.statement
    for below, step in site.tree.upward(inner):
        if isinstance(step, (cst.IndentedBlock, cst.Module)):
            holder = site.tree.parent(step) if isinstance(step, cst.IndentedBlock) else None
            if isinstance(holder, (cst.If, cst.Else, cst.Try)) or _left_before(step, below):
                yield from _lines_after(step, below)
        if isinstance(step, cst.Try):
            yield from [step.orelse] if step.orelse is not None else []
            yield from _after(site, step) if any(map(_leaves, step.handlers)) else []
        if isinstance(step, (cst.FunctionDef, cst.ClassDef, cst.For, cst.While)):
            return


def _left_before(block: cst.IndentedBlock | cst.Module, line: cst.CSTNode) -> bool:
    """Whether a look at what is there, above a line of a block, lets some leave."""
    lines: list[cst.CSTNode] = list(block.body)
    above = lines[: lines.index(line)] if line in lines else []
    return any(isinstance(one, cst.If) and _looks(one.test) and _leaves(one) for one in above)


def _looks(test: cst.BaseExpression) -> bool:
    calls = calls_in(test)
    return any(dotted(node.func).rpartition(".")[2] in _LOOKS for node in calls)


def _leaves(branch: cst.If | cst.ExceptHandler) -> bool:
    """Whether a branch is left for good, other than by an error."""
    return leaving(list(getattr(branch.body, "body", ()))) not in ("", "raise")


def _lines_after(block: cst.IndentedBlock | cst.Module, line: cst.CSTNode) -> list[cst.CSTNode]:
    lines: list[cst.CSTNode] = list(block.body)
    return lines[lines.index(line) + 1 :] if line in lines else []


def _after(site: Site, statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The statements below one in its block."""
    block = site.tree.block(statement)
    lines = list(getattr(block, "body", ()))
    yield from lines[lines.index(statement) + 1 :] if statement in lines else []


def _works(line: cst.CSTNode) -> bool:
    """Whether a statement does more than tell: it calls something."""
    return any(called(call).rpartition(".")[2] not in _ONLY_TELL for call in calls_in(line))

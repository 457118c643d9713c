"""Did a rewrite do what it was for? Findings before and after are matched although positions have moved."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.source.ancestry import tree_of

if TYPE_CHECKING:
    from ddplint.rule import Finding
    from ddplint.source.file import SourceFile

__all__ = ["Anchor", "Objection", "anchor", "compiles", "objection"]

Anchor = tuple[str, str, str, str]
_NUMBER = re.compile(r"\d+")


def anchor(finding: Finding) -> Anchor:
    """What stays the same about a finding when lines move: code, file, enclosing definitions, the code it points at."""
    file, node = finding.place.file, finding.place.node
    tree = tree_of(file.module)
    if node not in tree:
        return finding.code, file.path, "", ""
    scopes = [scope.name.value for scope in tree.scopes(node) if isinstance(scope, (cst.FunctionDef, cst.ClassDef))]
    return finding.code, file.path, ".".join(reversed(scopes)), _head(file, node)


def _head(file: SourceFile, node: cst.CSTNode) -> str:
    """The text of an expression; of a statement with a block only its head."""
    if isinstance(node, cst.Module):
        return ""
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return f"{type(node).__name__} {node.name.value}"
    if isinstance(node, (cst.If, cst.While)):
        return f"{type(node).__name__} {_text(file, node.test)}"
    if isinstance(node, cst.For):
        return f"For {_text(file, node.target)} in {_text(file, node.iter)}"
    if isinstance(node, cst.With):
        return f"With {', '.join(_text(file, item.item) for item in node.items)}"
    if isinstance(node, cst.BaseCompoundStatement):
        return type(node).__name__
    if isinstance(node, cst.SimpleStatementLine):
        node = node.with_changes(leading_lines=[], trailing_whitespace=cst.TrailingWhitespace())
    return _text(file, node)


def _text(file: SourceFile, node: cst.CSTNode) -> str:
    return " ".join(file.module.code_for_node(node).split())


def _message(finding: Finding) -> str:
    """The message without line numbers and ranks."""
    return _NUMBER.sub("#", finding.message)


@dataclass(frozen=True, eq=False)
class Objection:
    """Why a rewrite is not to be believed: findings it was for that still stand, or one that is ``new``."""

    reason: str
    culprits: tuple[Finding, ...] = ()
    new: Finding | None = None


def objection(
    before: Sequence[Finding], fixed: Sequence[Finding], after: Sequence[Finding], *, lenient: bool = False
) -> Objection | None:
    """Why a rewrite for ``fixed`` is not to be believed; ``None`` where it is.

    Each of ``fixed`` (taken from ``before``) must be gone, and each finding in ``after`` must be one of the others;
    ``lenient`` lets new advice pass.
    """
    was, now = Counter(map(anchor, before)), Counter(map(anchor, after))
    still = {key for key, count in Counter(map(anchor, fixed)).items() if now[key] > was[key] - count}
    if still:
        culprits = tuple(one for one in fixed if anchor(one) in still)
        return Objection("the finding is still there after the rewrite", culprits)
    done = set(map(id, fixed))
    new = _unmatched([one for one in before if id(one) not in done], after)
    grave = [one for one in new if not (lenient and one.severity.value == "advice")]
    return Objection(f"the rewrite would bring {grave[0].code}: {grave[0].message}", (), grave[0]) if grave else None


def _unmatched(before: Sequence[Finding], after: Sequence[Finding]) -> list[Finding]:
    """The findings of ``after`` that none of ``before`` accounts for, the closest matches taken first."""
    pool, rest = list(before), list(after)
    for key in (lambda one: (anchor(one), _message(one)), anchor, lambda one: (one.code, _message(one))):
        kept = Counter(key(one) for one in pool)
        found: Counter[object] = Counter()
        missing: list[Finding] = []
        for one in rest:
            if kept[key(one)] > found[key(one)]:
                found[key(one)] += 1
            else:
                missing.append(one)
        left: list[Finding] = []
        for one in pool:
            if found[key(one)] > 0:
                found[key(one)] -= 1
            else:
                left.append(one)
        pool, rest = left, missing
    return rest


def compiles(text: str) -> bool:
    """Whether Python takes the text: stricter than parsing, it sees a ``return`` outside a function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<rewritten>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True

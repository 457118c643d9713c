"""What leaves a function or a loop, and who comes to what stands behind it.

An ``if`` whose body leaves the function, and what stands behind it: only those who stay come there.

``if better: return`` and then ``self.done = True``: written as an ``else``, what is set there is set for those who
stay. So it is walked, where nothing is called behind, which could speak to other ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.summaries import syntax
from ddplint.source.ancestry import descend
from ddplint.source.tree import children


def keeps_apart(node: cst.If, rest: Sequence[cst.CSTNode]) -> bool:
    """Whether what stands behind an ``if`` sets attributes for those alone who do not return in it."""
    if not rest or node.orelse is not None or not _returns(node.body):
        return False
    return not any(map(syntax.may_call, rest)) and any(map(_sets_attribute, rest))


def ends_by_itself(loop: cst.While) -> bool:
    """Whether something in a loop leaves it: ``return`` or its own ``break``."""
    return any(map(_leaves, loop.body.body))


def _leaves(node: cst.CSTNode, inner: bool = False) -> bool:
    if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
        return False
    if isinstance(node, cst.Return) or (isinstance(node, cst.Break) and not inner):
        return True
    inner |= isinstance(node, (cst.For, cst.While))
    return any(_leaves(child, inner) for child in children(node) if not isinstance(child, cst.BaseExpression))


def _returns(body: cst.BaseSuite) -> bool:
    last = body.body[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, cst.Return)


def _sets_attribute(statement: cst.CSTNode) -> bool:
    targets = (one.target for one in descend(statement) if isinstance(one, (cst.AssignTarget, cst.AugAssign)))
    return any(isinstance(target, cst.Attribute) for target in targets)

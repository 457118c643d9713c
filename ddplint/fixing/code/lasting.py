"""Which lines a process runs to its end: those of the function that it was started for, or those of the script."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.source.ancestry import Tree
from ddplint.source.words import words_in


def running_lines(tree: Tree, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The lines of the function around ``node``, else of the script: of ``if __name__ == "__main__":`` or the module.

    Behind the last of them is the end, wherever between them ``node`` is. None where a script goes on behind its block.
    """
    function = tree.function(node)
    if function is not None:
        return function.body.body
    [*_, top, module] = tree.lineage(node)
    if isinstance(top, cst.If) and "__name__" in words_in(top.test):
        return top.body.body if isinstance(module, cst.Module) and module.body[-1] is top else ()
    return getattr(module, "body", ())

"""How a rule reads the code around a node: its tree, its scopes, what it reads, assigns and leaves."""

from __future__ import annotations

from ddplint.fixing.code.depends import assigned_paths, given_under, leaving, may_read, reads, ways_out
from ddplint.fixing.code.lasting import running_lines
from ddplint.fixing.code.logic import asked_for, conjuncts, joined, negated, without_not
from ddplint.fixing.code.scopes import Binding, leaves, own_nodes, returned
from ddplint.fixing.code.shape import is_pure, with_leading
from ddplint.fixing.code.site import Site, class_of
from ddplint.fixing.recipes.ranks import depends_on_rank, is_steady
from ddplint.source.ancestry import Statement, Tree, descend, nodes_of, tree_of, up_to_function
from ddplint.source.calls import argument, called, calls_in, last_part, names_called, plain_arguments, starred
from ddplint.source.file import SourceError, SourceFile
from ddplint.source.outline import function_lines
from ddplint.source.tree import children, code_of, dotted, only_part, positional, variable_of
from ddplint.source.words import says, words_behind, words_in, words_of
from ddplint.util import figures

__all__ = [
    "only_part",
    "up_to_function",
    "variable_of",
    "argument",
    "called",
    "calls_in",
    "last_part",
    "plain_arguments",
    "starred",
    "Binding",
    "Site",
    "SourceError",
    "SourceFile",
    "Statement",
    "Tree",
    "asked_for",
    "assigned_paths",
    "children",
    "class_of",
    "code_of",
    "conjuncts",
    "depends_on_rank",
    "descend",
    "dotted",
    "figures",
    "function_lines",
    "given_under",
    "is_pure",
    "is_steady",
    "joined",
    "leaves",
    "leaving",
    "may_read",
    "negated",
    "nodes_of",
    "own_nodes",
    "positional",
    "reads",
    "returned",
    "running_lines",
    "names_called",
    "says",
    "tree_of",
    "ways_out",
    "words_in",
    "words_behind",
    "words_of",
    "with_leading",
    "without_not",
]

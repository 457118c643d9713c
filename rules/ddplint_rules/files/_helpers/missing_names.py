"""Questions about ranks that programs ask of ``torch.distributed`` and that no release of it answers."""

from __future__ import annotations

import re

import libcst as cst

from ddplint.rule.code import Site, dotted

_ASKED = re.compile(r"(?:get_)?(?:my_|own_|local_|global_|node_|world_)*(?:rank|world_size)(?:_number|_id)?")
"""Names by which a program asks who it is, or how many there are."""

_THERE = frozenset({"get_rank", "get_world_size", "get_global_rank", "get_group_rank", "get_node_local_rank"})
"""Those that some release of torch has in ``torch.distributed``."""


def missing(site: Site, call: cst.Call) -> str:
    """The name of a function that torch does not have, where nobody asks for it before or puts it there."""
    function = call.func
    if not isinstance(function, cst.Attribute) or _ASKED.fullmatch(function.attr.value) is None:
        return ""
    name = function.attr.value
    if name in _THERE or site.qualified(function) != f"torch.distributed.{name}":
        return ""
    text = site.file.text
    if re.search(rf"""\.{name}\s*=[^=]|attr\([^)\n]*["']{name}["']""", text) is not None or _is_tried(site, call):
        return ""
    head = function.value
    while isinstance(head, cst.Attribute):
        head = head.value
    _, bound = (site.scopes.lookup(head.value, head) if isinstance(head, cst.Name) else None) or (None, [])
    return name if bound and all(_is_of_torch(one.node) for one in bound) else ""


def _is_of_torch(node: cst.CSTNode) -> bool:
    """Whether a name is bound by an import of torch."""
    named: cst.CSTNode | None = None
    if isinstance(node, cst.ImportFrom):
        named = node.module
    elif isinstance(node, cst.Import):
        named = node.names[0].name
    return named is not None and dotted(named).partition(".")[0] == "torch"


def _is_tried(site: Site, node: cst.CSTNode) -> bool:
    return any(isinstance(step, cst.Try) for step in site.tree.ancestors(node))

"""What a mesh is asked: its parts and groups, how large it is, and where a rank stands in it."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import NONE, Const, Group, Tuple, Unknown, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed import ranks
from ddplint.analysis.models.distributed.meshes import layout
from ddplint.analysis.openworld.programs import rank_evidence
from ddplint.util import figures


def item(w: Interp, mesh: Group, index: Value) -> Value | None:
    """``mesh["dp"]``, ``mesh["dp", "cp"]``; None where it is not known what that is."""
    names = layout.texts(w, index)
    if not names or not layout.is_known(w, mesh):
        return None
    dims = layout.named(w, mesh, names)
    return layout.part(w, mesh, dims) if dims else None


def attribute(w: Interp, mesh: Group, name: str) -> Value | None:
    """``mesh.ndim``, ``mesh.mesh_dim_names``, ``mesh.shape``; None for everything else."""
    found = layout.dimensions(w, mesh)
    if found is None:
        return None
    whole, dims = found
    if name == "ndim":
        return Const(len(dims))
    if name == "mesh_dim_names" and whole.names:
        return Tuple(tuple(Const(whole.names[dim]) for dim in dims if dim < len(whole.names)))
    return Tuple(tuple(_length(w, mesh, dim) for dim in dims)) if name == "shape" else None


def method(w: Interp, mesh: Group, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """What a method of a mesh or group gives; None for those that communicate, and where it is not known."""
    if name == "rank":
        return ranks.rank_in(w, mesh, node)
    asked = _METHODS.get(name)
    if asked is None or not layout.is_known(w, mesh):
        return None
    return asked(w, mesh, argument(args, kwargs, "mesh_dim", 0) or NONE, node)


def _group(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value | None:
    """The group of one dimension; None where it is not known which."""
    whole, dims = w.record(layout.Meshes).of[mesh.id]
    if dim == NONE:
        return mesh if len(dims) == 1 or mesh.id != whole.number else None
    names = layout.texts(w, dim)
    if names:
        return layout.part(w, mesh, found) if (found := layout.named(w, mesh, names)) else None
    at = figures.whole(dim.value) if isinstance(dim, Const) else None
    return layout.part(w, mesh, (dims[at],)) if at is not None and -len(dims) <= at < len(dims) else None


def _place(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value | None:
    """The place of a rank along a dimension."""
    group = _group(w, mesh, dim, node)
    return ranks.rank_in(w, group, node, "rank in a dimension of the mesh") if group is not None else None


def _places(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value | None:
    """The place of a rank along each dimension."""
    _, dims = w.record(layout.Meshes).of[mesh.id]
    found = [_place(w, mesh, Const(at), node) for at in range(len(dims))]
    return Tuple(tuple(one for one in found if one is not None))


def _global(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value:
    return rank_evidence.rank_value(w, "global", node, "rank, as a mesh gives it")


def _groups(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value:
    _, dims = w.record(layout.Meshes).of[mesh.id]
    return Tuple(tuple(layout.part(w, mesh, (one,)) for one in dims))


def _size(w: Interp, mesh: Group, dim: Value, node: cst.CSTNode) -> Value | None:
    """How many ranks there are along a dimension, or in the whole mesh."""
    group: Value | None = mesh if dim == NONE else _group(w, mesh, dim, node)
    return _counted(group) if group is not None else None


def _length(w: Interp, mesh: Group, dim: int) -> Value:
    return _counted(layout.part(w, mesh, (dim,)))


def _counted(group: Value) -> Value:
    known = layout.size(group)
    return Const(known) if known is not None else Unknown(symbol("size", group))


_METHODS: dict[str, Callable[[Interp, Group, Value, cst.CSTNode], Value | None]] = {
    "get_all_groups": _groups,
    "get_coordinate": _places,
    "get_group": _group,
    "get_local_rank": _place,
    "get_rank": _global,
    "size": _size,
}

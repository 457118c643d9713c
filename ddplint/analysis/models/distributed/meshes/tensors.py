"""Tensors that lie on a mesh (``DTensor``): what a rank holds of one, and what all have alike.

Of a tensor in shards, or in parts that are still to be added up, each rank holds its own; of a replicated one all hold
the same. Where nobody knows how it lies, nothing is said of what a rank holds.
"""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import symbol
from ddplint.analysis.domain.values import NONE, Object, Tuple, Unknown, Value, Varying
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.knowledge import Api

CLASS = "torch.distributed.tensor.DTensor"
_SHARD = f"{CLASS.rpartition('.')[0]}.Shard"
_REPLICATED = ("Replicate",)
LOCAL = "_local_tensor"
"""The attribute of such a tensor that holds what lies on this rank, as ``to_local()`` gives it."""

_FROM_LOCAL = "from_local"
_MOVED = "redistribute"


def made(w: Interp, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Object | None:
    """The tensor on a mesh that a call gives; None for calls that give no such tensor."""
    if w.knowledge.type_of(name) != CLASS:
        return None
    moved = name.endswith(_MOVED)
    placed = argument(args, kwargs, "placements", 1 if moved else 2) or NONE
    mesh = argument(args, kwargs, "device_mesh", 0 if moved else 1) or (mesh_of(receiver) if moved else None)
    own = {"local": args[0]} if name.endswith(_FROM_LOCAL) and args else {}
    return w.external_object(CLASS, [], {"placements": placed, "mesh": mesh or NONE, **own}, node)


def mesh_of(tensor: Value | None) -> Value | None:
    """The mesh on which a tensor lies, as a group; None where it is not known."""
    mesh = dict(tensor.kwargs).get("mesh") if isinstance(tensor, Object) and tensor.name == CLASS else None
    return mesh if mesh != NONE else None


def is_moved(w: Interp, row: Api, args: Args, kwargs: Kwargs, receiver: Value | None) -> bool:
    """Whether a tensor in shards is put together on each rank: ``redistribute(placements=[Replicate()])``."""
    if receiver is None or not is_parted(w, receiver):
        return False
    return is_whole_asked(w, row.name.rpartition(".")[2], args, kwargs)


def is_whole_asked(w: Interp, method: str, args: Args, kwargs: Kwargs) -> bool:
    """Whether a method is asked to put the shards of a tensor together."""
    kinds = _classes(w, argument(args, kwargs, "placements", 1)) if method == _MOVED else []
    return bool(kinds) and all(kind.endswith(_REPLICATED) for kind in kinds)


def in_shards(w: Interp, node: cst.CSTNode) -> Object:
    """A tensor of which each rank holds a shard."""
    shard = w.external_object(_SHARD, [], {}, node)
    return w.external_object(CLASS, [], {"placements": Tuple((shard,))}, node)


def is_parted(w: Interp, tensor: Value) -> bool:
    """Whether it is known that ranks hold different things of a tensor."""
    kinds = _placements(w, tensor)
    return bool(kinds) and any(not kind.endswith(_REPLICATED) for kind in kinds)


def local(w: Interp, tensor: Value, name: str, node: cst.CSTNode) -> Value | None:
    """What a rank holds of a tensor on a mesh, where that is asked for."""
    if not isinstance(tensor, Object) or tensor.name != CLASS or name not in ("to_local", LOCAL):
        return None
    given = dict(tensor.kwargs).get("local")
    if given is not None:
        return given
    what = symbol("method", "to_local", tensor)
    if is_parted(w, tensor):
        return Varying(Reason.DATA, what, w.trail(node, "what this rank holds of a sharded tensor"))
    return Unknown(what)


def _placements(w: Interp, tensor: Value) -> list[str]:
    """The classes of the placements of a tensor, one for each dimension of its mesh; empty where not known."""
    return _classes(w, dict(tensor.kwargs).get("placements") if isinstance(tensor, Object) else None)


def _classes(w: Interp, given: Value | None) -> list[str]:
    items = containers.items_of(w, given) if given is not None else None
    found = [one.name for one in items or () if isinstance(one, Object)]
    return found if len(found) == len(items or ()) else []

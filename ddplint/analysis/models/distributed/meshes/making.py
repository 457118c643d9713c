"""Calls that make a mesh: by its shape, by the ranks themselves, or out of dimensions of another one."""

from __future__ import annotations

from math import prod

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.symbols import GIVEN, Symbol
from ddplint.analysis.domain.term import Call, Method
from ddplint.analysis.domain.values import GLOBAL_RANKS, Const, Group, Object, Tuple, Unknown, Value
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.distributed import ranks
from ddplint.analysis.models.distributed.meshes import layout
from ddplint.knowledge import Api, tables

_SHAPES = frozenset({"reshape", "view"})


def made(w: Interp, row: Api, args: Args, kwargs: Kwargs, receiver: Value | None, number: int) -> Value | None:
    """The mesh that a call makes, as the group with this number; None where it makes no mesh, or nobody knows which."""
    last = row.name.rpartition(".")[2]
    names = argument(args, kwargs, "mesh_dim_names", 2)
    if last == "init_device_mesh":
        return layout.made(w, number, argument(args, kwargs, "mesh_shape", 1), names)
    if last == "DeviceMesh":
        return layout.made(w, number, _shape(w, argument(args, kwargs, "mesh", 1)), kwargs.get("mesh_dim_names"))
    if last == "_flatten" and isinstance(receiver, Group) and layout.is_known(w, receiver):
        name = layout.texts(w, argument(args, kwargs, "mesh_dim_name", 0))
        return layout.flattened(w, receiver, name[0] if name else "")
    return None


def _shape(w: Interp, given: Value | None) -> Value | None:
    """The sizes of a mesh that is written down rank by rank; None where these are not all ranks in their order."""
    if given is None:
        return None
    items = containers.items_of(w, given)
    if items is None:
        return Tuple((Const(len(GLOBAL_RANKS)),)) if _is_all(w, given) else _reshaped(w, given)
    rows = [containers.items_of(w, item) for item in items]
    if all(row is None for row in rows):
        return Tuple((Const(len(items)),)) if _numbers(items) == GLOBAL_RANKS else None
    flat = [one for row in rows for one in row or ()]
    even = len({len(row or ()) for row in rows}) == 1
    return Tuple((Const(len(rows)), Const(len(flat) // len(rows)))) if even and _numbers(flat) == GLOBAL_RANKS else None


def _is_all(w: Interp, given: Value) -> bool:
    """Whether it goes through the numbers of all processes: ``range(world_size)``, ``torch.arange(world_size)``."""
    if isinstance(given, Object):
        return ranks.numbers_all(w, given)
    what = given.symbol.whole if isinstance(given, Unknown) else None
    given_to = [one for one in what.args if one != GIVEN] if isinstance(what, Call) else []
    return isinstance(what, Call) and what.name in tables.names("counting") and given_to == [Const(len(GLOBAL_RANKS))]


def _reshaped(w: Interp, given: Value) -> Value | None:
    """The sizes of all ranks in rows: ``torch.arange(world_size).view(-1, 2)``."""
    what = given.symbol.whole if isinstance(given, Unknown) else None
    if not isinstance(what, Method) or what.name not in _SHAPES or not isinstance(what.receiver, Symbol):
        return None
    asked = [one for one in what.args if isinstance(one, Const)]
    sizes = [one.value for one in asked if isinstance(one.value, int)]
    if not _is_all(w, Unknown(what.receiver)) or len(sizes) != len(what.args) - 1:
        return None
    rest = prod(size for size in sizes if size > 0)
    return Tuple(tuple(Const(size if size > 0 else len(GLOBAL_RANKS) // max(rest, 1)) for size in sizes))


def _numbers(items: list[Value]) -> tuple[object, ...]:
    return tuple(item.value if isinstance(item, Const) else None for item in items)

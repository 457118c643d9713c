"""How the ranks of a mesh lie: its dimensions, their sizes and names, and the parts that are taken out of it.

Where the sizes are known, and make up the world that is walked, each rank has its own group along a dimension. Where
they are not, a part is a group of unknown members, and a place in it is named by the group: a guard that asks for the
place in one group says nothing of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from ddplint.analysis.domain.join import rank_join
from ddplint.analysis.domain.values import EVERYONE, WORLD_SIZE, Const, Group, PerRank, Value
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record
from ddplint.util import figures


@dataclass(slots=True)
class Mesh:
    """The whole mesh. ``shape``: the sizes of its dimensions, None where they are not known.

    ``flat``: the dimensions that were made into one, by the name that they got.
    """

    number: int
    count: int
    names: tuple[str, ...]
    shape: tuple[int, ...] | None
    flat: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Meshes(Record):
    """Which dimensions of which mesh a group is of, by the group."""

    life = Life.FILE
    of: dict[int, tuple[Mesh, tuple[int, ...]]] = field(default_factory=dict)


def made(w: Interp, number: int, shape: Value | None, names: Value | None) -> Group | None:
    """A mesh of this shape (a tuple of sizes) over all ranks; None where not even its dimensions are known."""
    items = containers.items_of(w, shape) if shape is not None else None
    if not items:
        return None
    sizes = [figures.whole(one.value) if isinstance(one, Const) else None for one in items]
    known = tuple(size for size in sizes if size)
    if len(sizes) == 1:
        known = (WORLD_SIZE,)
    fits = len(known) == len(sizes) and prod(known) == WORLD_SIZE
    mesh = Mesh(number, len(sizes), texts(w, names), known if fits else None)
    return _noted(w, Group(number, EVERYONE), mesh, tuple(range(len(sizes))))


def is_known(w: Interp, group: Group) -> bool:
    """Whether a group is a mesh, or of a dimension of one."""
    return group.id in w.record(Meshes).of


def texts(w: Interp, value: Value | None) -> tuple[str, ...]:
    """The texts in a list or tuple; a text for itself. Empty where one is not known."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return (value.value,)
    items = containers.items_of(w, value) if value is not None else None
    found = [one.value for one in items or () if isinstance(one, Const) and isinstance(one.value, str)]
    return tuple(found) if len(found) == len(items or ()) else ()


def dimensions(w: Interp, group: Group) -> tuple[Mesh, tuple[int, ...]] | None:
    """The mesh that a group belongs to, and which of its dimensions; None where it is no mesh."""
    return w.record(Meshes).of.get(group.id)


def named(w: Interp, group: Group, names: Sequence[str]) -> tuple[int, ...] | None:
    """The dimensions of the whole mesh with these names; None where there is one that is not known."""
    mesh, _ = w.record(Meshes).of[group.id]
    found: list[int] = []
    for name in names:
        if name in mesh.flat:
            found += mesh.flat[name]
        elif name in mesh.names:
            found.append(mesh.names.index(name))
        else:
            return None
    return tuple(found) or None


def flattened(w: Interp, group: Group, name: str) -> Value:
    """The dimensions of a mesh, or of a part of one, made into a single one, which has a name from then on."""
    mesh, dims = w.record(Meshes).of[group.id]
    if name:
        mesh.flat[name] = dims
    return part(w, group, dims)


def part(w: Interp, group: Group, dims: tuple[int, ...]) -> Value:
    """The group of each rank along these dimensions of the mesh: those that have the same place in all others."""
    mesh, _ = w.record(Meshes).of[group.id]
    if len(dims) == mesh.count:
        return group if len(dims) == 1 else _noted(w, _numbered(w, mesh, dims, (), EVERYONE), mesh, dims)
    if mesh.shape is None:
        return _noted(w, _numbered(w, mesh, dims, (), None), mesh, dims)
    places = list(product(*map(range, mesh.shape)))
    others = [tuple(at for dim, at in enumerate(place) if dim not in dims) for place in places]
    found: list[Value] = []
    for other in others:
        members = sum(1 << rank for rank, one in enumerate(others) if one == other)
        found.append(_noted(w, _numbered(w, mesh, dims, other, members), mesh, dims))
    return rank_join(found, None)


def size(group: Value) -> int | None:
    """How many ranks each group along a dimension has."""
    one = group.values[0] if isinstance(group, PerRank) else group
    known = isinstance(one, Group) and one.members is not None
    return one.members.bit_count() if known and isinstance(one, Group) and one.members else None


def _numbered(w: Interp, mesh: Mesh, dims: tuple[int, ...], other: tuple[int, ...], members: int | None) -> Group:
    return Group(w.owner(("mesh", mesh.number, dims, other)), members)


def _noted(w: Interp, group: Group, mesh: Mesh, dims: tuple[int, ...]) -> Group:
    w.record(Meshes).of[group.id] = (mesh, dims)
    return group

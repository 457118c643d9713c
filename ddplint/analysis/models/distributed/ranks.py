"""Who a process is and how many there are: rows that only give such a value."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ddplint.analysis.domain import arguments, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.join import either, project, rank_join
from ddplint.analysis.domain.symbols import Symbol, symbol
from ddplint.analysis.domain.values import (
    LOCAL_WORLD_SIZE,
    NONE,
    TRUE,
    WORLD_SIZE,
    Const,
    Container,
    Either,
    External,
    Group,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    ranks_of,
)
from ddplint.analysis.memory.numbers import Sizes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.openworld.programs import group_created, rank_evidence
from ddplint.knowledge import Api
from ddplint.knowledge.which_rank import kind_of_source

ONE_OF_EACH_PART = "one_of_each_part"
"""The role of a rank among those that hold the same part of a model that is split."""


TO_GROUP_RANK, TO_GLOBAL_RANK = "to_group_rank", "to_global_rank"
"""The roles of calls that give the number of a process that they are given, not that of the one that asks."""


def rank_source(w: Interp, row: Api, node: cst.CSTNode, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    if TO_GROUP_RANK in row.also or TO_GLOBAL_RANK in row.also:
        return _translated(w, row, node, args, kwargs)
    group = row.group.named("group").of(args, kwargs)
    if group is not None and not is_world(group):
        return rank_in(w, group, node)
    if row.gives:
        return given(w, row, node)
    kind = kind_of_source(row)
    if kind:
        return rank_evidence.rank_value(w, kind, node, row.name, tables=(kind, *_beside(w, row)))
    return Unknown(part_of(row, receiver))


def _beside(w: Interp, row: Api) -> Iterator[str]:
    """Which other ranks an object gives that has one of them as a property."""
    owner, _, last = row.name.rpartition(".")
    for name in (f"{owner}.local_{last}", f"{owner}.{last.replace('global', 'local')}"):
        other = w.knowledge.lookup(name) if row.form == "property" else None
        if other is not None and other.kind == row.kind and other is not row:
            yield kind_of_source(other)


_COUNTS = {"world": Const(WORLD_SIZE), "local_world": Const(LOCAL_WORLD_SIZE)}


def given(w: Interp, row: Api, node: cst.CSTNode) -> Value:
    """The tuple of ranks and numbers of processes that a call gives."""
    parts = [
        _COUNTS.get(part) or rank_evidence.rank_value(w, part, node, f"the {part} rank of {row.name}", tables=(part,))
        for part in row.gives
    ]
    return Tuple(tuple(parts))


def part_of(row: Api, receiver: Value | None) -> Symbol:
    """The place of a rank in a part of the world that a library names."""
    return symbol("membership", row.name, receiver, *(role for role in row.also if role == ONE_OF_EACH_PART))


def rank_in(w: Interp, group: Value, node: cst.CSTNode, text: str = "rank in the group") -> Value:
    """The place of each rank in a group, or in its own one of several; ``text`` says for people what it is."""
    group = w.state.narrow(group)
    if isinstance(group, Either) and group.local is None:
        return either(group.symbol, rank_in(w, group.yes, node, text), rank_in(w, group.no, node, text))
    if is_world(group):
        return rank_evidence.rank_value(w, "global", node, text)
    seen = [project(group, rank) for rank in range(WORLD_SIZE)]
    if all(isinstance(one, Group) and one.members is not None for one in seen):
        values = tuple(Const(_place_in(one, rank)) for rank, one in enumerate(seen))
        w.distributed = True
        return rank_join(values, w.trail(node, text))
    return Unknown(symbol("membership", terms.key_of(group)))


def _translated(w: Interp, row: Api, node: cst.CSTNode, args: Args, kwargs: Kwargs) -> Value:
    """The number in the world of a member of the group, or the one in the group of a process of the world."""
    to_world = TO_GLOBAL_RANK in row.also
    group = row.group.of(args, kwargs)
    asked = row.rank.of(args, kwargs)
    if group is None or asked is None:
        return Unknown(part_of(row, None))
    group, asked = w.state.narrow(group), w.state.narrow(asked)
    if is_world(group):
        return asked
    values = []
    for rank in range(WORLD_SIZE):
        one, number = project(group, rank), project(asked, rank)
        if not isinstance(one, Group) or one.members is None or not isinstance(number, Const):
            return Unknown(symbol("membership", row.name, terms.key_of(group), terms.key_of(asked)))
        inside = ranks_of(one.members)
        if to_world:
            known = isinstance(number.value, int) and 0 <= number.value < len(inside)
            values.append(Const(inside[number.value]) if known else NONE)
        else:
            values.append(Const(inside.index(number.value)) if number.value in inside else NONE)
    return rank_join(values, w.trail(node, "rank in the group"))


def _size_of(group: Value) -> Value:
    """How many ranks a group has; ranks may be in groups of different sizes."""
    if isinstance(group, PerRank):
        return rank_join([_size_of(one) for one in group.values], group.trail)
    if isinstance(group, Group) and group.members is not None:
        return Const(len(ranks_of(group.members)))
    if isinstance(group, Either) and group.local is None:
        return either(group.symbol, _size_of(group.yes), _size_of(group.no))
    return Const(WORLD_SIZE) if is_world(group) else Unknown(symbol("size", terms.key_of(group)))


def _place_in(group: Value, rank: int) -> int:
    """The rank within a group, -1 for ranks outside."""
    members = group.members if isinstance(group, Group) else None
    inside = ranks_of(members or 0)
    return inside.index(rank) if rank in inside else -1


_SIZES = ("get_world_size", "world_size", "num_processes", "size", "device_count", "get_size")


def uniform_source(w: Interp, row: Api, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    last = row.name.rpartition(".")[2]
    if last in ("is_initialized", "is_dist_avail_and_initialized"):
        return group_created.is_made(w)
    if last in ("is_available", "is_nccl_available", "is_torchelastic_launched"):
        return TRUE
    if isinstance(receiver, Group):
        known = receiver.members is not None and not args
        return Const(len(ranks_of(receiver.members or 0))) if known else Unknown(symbol("size", receiver, *args))
    group = arguments.argument(args, kwargs, row.group.name or "group", 0)
    if last in _SIZES and "local" not in row.name and (group is None or is_world(group)):
        w.distributed = True
        return Const(WORLD_SIZE)
    if last in _SIZES and group is not None:
        return _size_of(w.state.narrow(group))
    if "local_world_size" in last or last == "get_local_size":
        return Const(LOCAL_WORLD_SIZE)
    if row.name.endswith("group.WORLD"):
        return External(row.name)
    if row.form == "class":
        return w.external_object(row.name, args, {}, None)
    return Unknown(symbol("uniform", row.name, receiver, *(terms.key_of(arg) for arg in args)))


def numbers_all(w: Interp, value: Value) -> bool:
    """Whether it goes through the numbers of all processes: ``range(world_size)``, or a list of that."""
    if isinstance(value, Container):
        return ("numbers all", value.id) in w.marks
    if not isinstance(value, Object) or value.name != "builtins.range" or value.args[:-1] not in ((), (Const(0),)):
        return False
    end = value.args[-1] if value.args else NONE
    return isinstance(end, Unknown) and end.symbol in w.record(Sizes).symbols


def listed(w: Interp, source: Value, made: Value) -> None:
    """A list was made of the very elements of something else."""
    if isinstance(made, Container) and numbers_all(w, source):
        w.marks.add(("numbers all", made.id))


def is_world(group: Value) -> bool:
    """Whether a group argument means the default group."""
    return (isinstance(group, Const) and group.value is None) or (
        isinstance(group, External) and group.name.endswith(("group.WORLD", "GroupMember.WORLD"))
    )


def is_there(w: Interp, row: Api) -> bool:
    """Whether the same framework was asked on the way here who the rank is: its shared state has been made."""
    texts = (origin.text for guard in w.guards for origin in guard.origins)
    return row.name.endswith("State") and any(text.startswith(f"{row.framework}.") for text in texts)

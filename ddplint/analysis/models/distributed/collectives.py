"""What a collective does in a walk: the group, the trace, and what is equal on all ranks afterwards."""

from __future__ import annotations

from functools import partial

import libcst as cst

from ddplint.analysis.domain import arguments, terms
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import project
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.term import Call, Symbol
from ddplint.analysis.domain.values import (
    EVERYONE,
    NONE,
    UNBOUND,
    WORLD_SIZE,
    Const,
    Container,
    Group,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    ranks_of,
    varying_in,
)
from ddplint.analysis.interp import argument_update
from ddplint.analysis.memory import containers, modes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import meetings
from ddplint.analysis.models import decorators, keywords, results
from ddplint.analysis.models.distributed import grouped, learned, one_for_each, ranks, sent
from ddplint.analysis.models.distributed.meshes import making, tensors
from ddplint.analysis.openworld.programs import gradients
from ddplint.analysis.trace.events import Details
from ddplint.knowledge import Api
from ddplint.source import calls
from ddplint.util import figures


def group_of(w: Interp, row: Api, args: Args, kwargs: Kwargs) -> tuple[str, int | None]:
    """The group of a call as a key and its members (0: the world, None: not known)."""
    return _keyed(w, row.group.of(args, kwargs))


def _keyed(w: Interp, group: Value | None) -> tuple[str, int | None]:
    if group is None or ranks.is_world(group):
        return "", 0
    group = w.state.narrow(group)
    if isinstance(group, Group):
        return _key_of(group.id), group.members
    return _key_of(w.owner(group)), None


def _key_of(number: int) -> str:
    return f"group {number}"


def place_in(w: Interp, group: Value | None) -> Symbol:
    """What the place of a rank in a group of unknown members is called: a library may give both by name."""
    key = NONE if group is None else terms.key_of(w.state.narrow(group))
    if isinstance(key, Call) and not key.args and str(key.name).endswith("_group"):
        row = w.knowledge.lookup(f"{str(key.name).removesuffix('_group')}_rank")
        if row is not None and row.kind == "rank_source":
            return ranks.part_of(row, None)
    return symbol("membership", key)


_BARRIERS = ("barrier", "wait_for_everyone", "synchronize", "rendezvous", "main_process_first")


def kind_of(row: Api) -> str:
    """What two calls must share to meet: barriers under any name are one kind."""
    return kind_named(row.name)


def kind_named(name: str) -> str:
    """:func:`kind_of` by the dotted name that imports resolve to."""
    last = name.rpartition(".")[2]
    return "barrier" if any(word in last for word in _BARRIERS) and "gradient" not in last else last


def collective(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    if decorators.ON_MAIN in row.also:
        decorators.run_on_main(w, args, kwargs, node)
    group = row.group.of(args, kwargs) or _group_behind(row, receiver)
    if isinstance(group, PerRank):
        return (
            w.split(
                group, node, GuardKind.CALL, lambda seen: _collective_in(w, row, args, kwargs, node, receiver, seen)
            )
            or NONE
        )
    return _collective_in(w, row, args, kwargs, node, receiver, group)


def _group_behind(row: Api, receiver: Value | None) -> Value | None:
    """The group that what a method is called on is, or lies in."""
    if "own_group" in row.also:
        return receiver
    return tensors.mesh_of(receiver) if "own_mesh" in row.also else None


def _collective_in(
    w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None, group: Value | None
) -> Value:
    if group is not None:
        args, kwargs = _regrouped(row, args, kwargs, group)
    if row.form == "class" and "collective" not in row.also:
        return w.external_object(row.name, args, kwargs, node)
    key, members = _keyed(w, group)
    event = w.emit(
        row,
        Effect.COLLECTIVE,
        node,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        group=key,
        label=label_of(row),
        details={
            "members": members,
            "agreed": _next_agreed(w, row, key),
            **_listed(w, row, args, kwargs),
            **_makes(w, row),
            **devices(w, kwargs),
            **_held(w, args),
        },
    )
    w.distributed = True
    if row.name.endswith(".backward"):
        learned.note_loss(w, args[0] if args else None, node)
    if not key:
        learned.note(w, row, args[0] if args else None, node)
    gradients.note(w, args[0] if args else None, node)
    factory = "group_factory" in row.also
    if factory and truthy(kwargs.get("use_local_synchronization")):
        pass
    elif modes.holds(w, row, kwargs, receiver) or tensors.is_moved(w, row, args, kwargs, receiver):
        where = place_in(w, group) if members is None else None
        operate = partial(w.operate, event, kind_of(row), key, members, where)
        if one_for_each.ROLE in row.also and args:
            one_for_each.run(w, args[0], operate, node)
        elif one_for_each.NAMED in row.also:
            one_for_each.under_a_name(w, arguments.argument(args, kwargs, "name", 0), operate, node)
        else:
            operate()
    if factory:
        return _new_group(w, row, args, kwargs, receiver)
    return _result(w, row, args, kwargs, node, receiver)


def _held(w: Interp, args: Args) -> Details:
    """What the list holds that a call is given first."""
    listed = args[0] if args else None
    items = containers.items_of(w, listed) if isinstance(listed, Container) and listed.kind == "list" else None
    return {"content": tuple(items)} if items else {}


def _listed(w: Interp, row: Api, args: Args, kwargs: Kwargs) -> Details:
    """For a new group, the value that names its members; the items of a list."""
    given = arguments.argument(args, kwargs, "ranks", 0) if "group_factory" in row.also else None
    if given is None:
        return {}
    items = containers.items_of(w, given) if isinstance(given, (Container, Tuple)) else None
    return {"ranks": given if items is None else Tuple(tuple(items))}


def _makes(w: Interp, row: Api) -> Details:
    """The key of the group that a call is going to make."""
    return {"makes": _key_of(_number_of_next(w))} if "group_factory" in row.also else {}


def devices(w: Interp, kwargs: Kwargs) -> Details:
    """The numbers of the devices that a call is given as a list."""
    given = kwargs.get("device_ids")
    items = containers.items_of(w, given) if isinstance(given, (Container, Tuple)) else None
    return {} if items is None else {"devices": Tuple(tuple(items))}


def _regrouped(row: Api, args: Args, kwargs: Kwargs, group: Value) -> tuple[Args, Kwargs]:
    if row.group.name in kwargs:
        return args, {**kwargs, row.group.name: group}
    if row.group.position is not None and row.group.position < len(args):
        return [*args[: row.group.position], group, *args[row.group.position + 1 :]], kwargs
    return args, kwargs


def truthy(found: Value | None) -> bool:
    return isinstance(found, Const) and bool(found.value)


def label_of(row: Api) -> str:
    """A short name of an operation for people."""
    return row.name.rpartition(".")[2]


def _number_of_next(w: Interp) -> int:
    """The identity of a group: ranks that make their n-th group make the same one, wherever each of them does."""
    return w.owner(("group", terms.key_of(w.state.read(_MADE) or NONE)))


def _nth_group(w: Interp) -> int:
    """The identity of a new group; the next one is another."""
    number = _number_of_next(w)
    before = w.state.read(_MADE) or NONE
    w.state.write(_MADE, Unknown(symbol("after", terms.key_of(before))))
    return number


_MADE = meetings("new_group", "")
"""Where it stands how many groups were made."""


def _new_group(w: Interp, row: Api, args: Args, kwargs: Kwargs, receiver: Value | None) -> Value:
    given = arguments.argument(args, kwargs, "ranks", 0)
    number = _nth_group(w)
    mesh = making.made(w, row, args, kwargs, receiver, number)
    if mesh is not None:
        return mesh
    if given is None or given == NONE or ranks.numbers_all(w, given):
        return Group(number, EVERYONE)
    items = containers.items_of(w, given)
    if items is None:
        grouped.note(w, given)
    members: int | None = 0
    for item in items if items is not None else [NONE]:
        if members is not None and isinstance(item, Const) and isinstance(item.value, int):
            members |= 1 << item.value if 0 <= item.value < WORLD_SIZE else 0
        else:
            members = None
    return Group(number, members)


def _result(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """What a collective leaves behind: an agreed result, an agreed argument, or a handle."""
    if row.uniform.startswith("arg:"):
        _agree(w, row, int(row.uniform[4:]), args, kwargs, node)
    elif "pieces" in row.also:
        sent.received(w, args, kwargs, node, agreed(w, row, args, kwargs))
    elif row.uniform == "none" and args:
        _scatter(w, row, args, node)
    placed = tensors.made(w, row.name, args, kwargs, node, receiver)
    if placed is not None:
        return placed
    flag = row.async_.of(args, kwargs)
    if flag is not None and truthy(flag):
        return w.external_object("torch.distributed.Work", [], {}, node)
    if row.uniform == "return" or "sanitizer" in row.also:
        root = row.root.of(args, kwargs)
        if row.uniform == "return" and args and root is not None and isinstance(root, Const):
            return _from_root(w, args[0], root, agreed(w, row, args, kwargs))
        return agreed(w, row, args, kwargs)
    given = [arg for arg in (*args, *keywords.with_data(kwargs)) if not isinstance(arg, PerRank)]
    head = ("call", row.name, fresh("result"), *keywords.named(kwargs))
    return results.typed(w, row.name, results.result_of(w, head, given, node))


def agreed(w: Interp, row: Api, args: Args, kwargs: Kwargs) -> Unknown:
    """What ranks know after they have met: the same unknown for the n-th meeting of its kind, wherever it is called."""
    group, _ = group_of(w, row, args, kwargs)
    found = _next_agreed(w, row, group)
    where = meetings(kind_of(row), group)
    before = w.state.read(where) or NONE
    w.state.write(where, Unknown(symbol("after", terms.key_of(before))))
    return Unknown(found)


def _next_agreed(w: Interp, row: Api, group: str) -> Symbol:
    """What the next meeting of a kind gives."""
    before = w.state.read(meetings(kind_of(row), group)) or NONE
    return symbol("agreed", kind_of(row), group, terms.key_of(before))


def _from_root(w: Interp, sent: Value, root: Value, otherwise: Value) -> Value:
    """The root's own value, where all ranks are here to receive it and it is known."""
    number = figures.whole(root.value) if isinstance(root, Const) else None
    if w.state.mask != w.everyone or number is None or number not in range(WORLD_SIZE):
        return otherwise
    seen = project(sent, number)
    return seen if isinstance(seen, Const) else otherwise


def _agree(w: Interp, row: Api, index: int, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """The argument becomes equal on all ranks of the group: the root's value for a broadcast."""
    result = agreed(w, row, args, kwargs)
    old = arguments.argument(args, kwargs, row.uniform_arg, index)
    if not isinstance(node, cst.Call) or old is None:
        return
    result = _made_alike(w, row, old, args, kwargs) or result
    root: Value = NONE
    if "broadcast" in row.name:
        root = row.root.of(args, kwargs) or Const(0)
    if isinstance(old, Container):
        items = containers.items_of(w, old)
        content: Value = result
        if items is not None and len(items) < 32:
            parts = [Unknown(symbol("part", result.symbol, i)) for i in range(len(items))]
            content = Tuple(tuple(_from_root(w, item, root, part) for item, part in zip(items, parts, strict=True)))
            if "broadcast" in row.name:
                number = figures.whole(root.value) if isinstance(root, Const) else None
                sent.to_the_others(w, number, calls.argument(node, row.uniform_arg, index), items, content.items)
        w.state.write((old.id, ""), content)
        if old.kind != "dict":
            for name in [name for name, _ in w.state.held(old.id) if name]:
                w.state.write((old.id, name), UNBOUND)
        return
    argument_update.change(w, calls.argument(node, row.uniform_arg, index), old, _from_root(w, old, root, result))


def _made_alike(w: Interp, row: Api, old: Value, args: Args, kwargs: Kwargs) -> Unknown | None:
    """What a group makes of values that are known on each of its ranks: groups with the same values get the same.

    A sum over one dimension of a mesh, then over the other, is the same on all ranks.
    """
    _, members = group_of(w, row, args, kwargs)
    if not members or w.state.mask & members != members or "reduce" not in row.name:
        return None
    seen = [project(old, rank) for rank in ranks_of(members)]
    if any(varying_in(one) is not None or isinstance(one, PerRank) for one in seen):
        return None
    keys = sorted((terms.key_of(one) for one in seen), key=str)
    how = arguments.argument(args, kwargs, "op", 1)
    return Unknown(symbol("agreed", kind_of(row), "of", how and terms.key_of(how), *keys))


def _scatter(w: Interp, row: Api, args: Args, node: cst.CSTNode) -> None:
    """``reduce``, ``scatter``: afterwards the tensor differs between ranks."""
    if not isinstance(node, cst.Call) or "reduce" not in row.name:
        return
    target = calls.argument(node, "tensor", 0)
    if isinstance(target, (cst.Name, cst.Attribute)):
        trail = w.trail(node, f"{label_of(row)}: valid on the destination only")
        argument_update.change(w, target, args[0] if args else NONE, Varying(Reason.DATA, fresh("reduced"), trail))

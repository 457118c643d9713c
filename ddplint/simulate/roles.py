"""What each kind of row in the knowledge tables means for a walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.simulate import (
    calls,
    conditions,
    data,
    expressions,
    identity,
    inplace,
    methods,
    savehooks,
    sharding,
    shares,
    wrappers,
)
from ddplint.simulate.choices import by_rank, project
from ddplint.simulate.facts import Reason
from ddplint.simulate.state import meetings
from ddplint.simulate.symbols import NAMED, Symbol, fresh, symbol
from ddplint.simulate.trace import Guarded
from ddplint.simulate.values import (
    EVERYONE,
    FALSE,
    LOCAL_WORLD_SIZE,
    NONE,
    TRUE,
    UNBOUND,
    WORLD_SIZE,
    Bound,
    Const,
    Container,
    External,
    Function,
    Group,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    ranks_of,
    unknown,
)

if TYPE_CHECKING:
    from ddplint.knowledge import Api
    from ddplint.knowledge import Varying as VaryingRow
    from ddplint.simulate.walker import Walker

Args = list[Value]
Kwargs = dict[str, Value]


NO_GRAD = frozenset(
    {"torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.inference_mode"}
)
GRAD_MODES = NO_GRAD | {"torch.set_grad_enabled", "torch.enable_grad", "torch.autograd.set_grad_enabled"}


def turns_grad_off(name: str, args: Sequence[Value]) -> bool:
    """Whether a context manager or decorator (its full name) switches gradients off."""
    return name in NO_GRAD or (name in GRAD_MODES and name.endswith("set_grad_enabled") and tuple(args[:1]) == (FALSE,))


def argument(args: Args, kwargs: Kwargs, name: str, position: int | None) -> Value | None:
    """An argument by keyword or position, if it was given."""
    if name and name in kwargs:
        return kwargs[name]
    if position is not None and position < len(args):
        return args[position]
    return None


def apply(
    w: Walker, row: Api, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None
) -> Value:
    """Do what the row says a call does; the result as the row says it is."""
    if row.kind in ("wrapper", "collective", "save_all_ranks") and conditions.alone(w, receiver):
        whole = args[0] if len(args) == 1 else Tuple(tuple(args))
        return whole if args else methods.result_of(w, ("call", row.name, receiver), args, node)
    if row.effect:
        result = data.file_call(w, row, args, kwargs, node, receiver)
        if row.kind in ("local", "save_rank0"):
            return result
    handler = _KINDS.get(row.kind)
    if handler is None:
        return value(w, row, node, receiver, args, kwargs)
    return handler(w, row, args, kwargs, node, receiver)


def value(w: Walker, row: Api, node: cst.CSTNode, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    """The result of a row that only gives a value."""
    if row.kind == "rank_source":
        return _rank_source(w, row, node, receiver, args, kwargs)
    if row.kind == "rank_predicate":
        kind = identity.kind_of_predicate(row, argument(args, kwargs, "local", 0))
        if kind:
            named = "" if kind != "local" or "local" in row.name else ": true for the first local rank of every node"
            return identity.predicate_value(w, kind, node, row.name + named)
        return Unknown(symbol("membership", row.name, receiver))
    if row.kind == "uniform_source":
        return _uniform_source(w, row, receiver, args, kwargs)
    if row.kind == "collective":
        return _collective(w, row, args, kwargs, node, receiver)
    return methods.result_of(w, ("call", row.name, receiver), args, node)


def _rank_source(w: Walker, row: Api, node: cst.CSTNode, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    group = argument(args, kwargs, row.group_arg or "group", row.group_pos)
    if group is not None and not is_world(group):
        return _rank_in(w, group, node)
    if row.name.endswith("get_dist_info"):
        return Tuple((identity.rank_value(w, "global", node, row.name), Const(WORLD_SIZE)))
    if row.name.endswith("world_info_from_env"):
        parts = ("local", "global")
        return Tuple((*(identity.rank_value(w, kind, node, row.name) for kind in parts), Const(WORLD_SIZE)))
    kind = identity.kind_of_name(row)
    if kind:
        return identity.rank_value(w, kind, node, row.name)
    return Unknown(symbol("membership", row.name, receiver))


def _rank_in(w: Walker, group: Value, node: cst.CSTNode) -> Value:
    group = w.state.narrow(group)
    seen = [project(group, rank) for rank in range(WORLD_SIZE)]
    if all(isinstance(one, Group) and one.members is not None for one in seen):
        values = tuple(Const(_place_in(one, rank)) for rank, one in enumerate(seen))
        return PerRank(values, w.trail(node, "rank in the group"))
    return Unknown(symbol("membership", expressions.key_of(group)))


def _size_of(group: Value) -> Value:
    """How many ranks a group has; ranks may be in groups of different sizes."""
    if isinstance(group, PerRank):
        return by_rank([_size_of(one) for one in group.values], group.trail)
    if isinstance(group, Group) and group.members is not None:
        return Const(len(ranks_of(group.members)))
    return Unknown(symbol("size", expressions.key_of(group)))


def _place_in(group: Value, rank: int) -> int:
    """The rank within a group, -1 for ranks outside."""
    members = group.members if isinstance(group, Group) else None
    inside = ranks_of(members or 0)
    return inside.index(rank) if rank in inside else -1


_SIZES = ("get_world_size", "world_size", "num_processes", "size", "device_count", "get_size")


def _uniform_source(w: Walker, row: Api, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    last = row.name.rpartition(".")[2]
    if last in (
        "is_initialized",
        "is_available",
        "is_nccl_available",
        "is_torchelastic_launched",
        "is_dist_avail_and_initialized",
    ):
        return TRUE
    if isinstance(receiver, Group):
        known = receiver.members is not None and not args
        return Const(len(ranks_of(receiver.members or 0))) if known else Unknown(symbol("size", receiver, *args))
    group = argument(args, kwargs, row.group_arg or "group", 0)
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
    return Unknown(symbol("uniform", row.name, receiver, *(expressions.key_of(arg) for arg in args)))


def is_world(group: Value) -> bool:
    """Whether a group argument means the default group."""
    return (isinstance(group, Const) and group.value is None) or (
        isinstance(group, External) and group.name.endswith(("group.WORLD", "GroupMember.WORLD"))
    )


def group_of(w: Walker, row: Api, args: Args, kwargs: Kwargs) -> tuple[str, int | None]:
    """The group of a call as a key and its members (0: the world, None: not known)."""
    group = argument(args, kwargs, row.group_arg, row.group_pos)
    if group is None or is_world(group):
        return "", 0
    group = w.state.narrow(group)
    if isinstance(group, Group):
        return f"group {group.id}", group.members
    return f"group {w.owner(group)}", None


_BARRIERS = ("barrier", "wait_for_everyone", "synchronize", "rendezvous", "main_process_first")


def kind_of(row: Api) -> str:
    """What two calls must share to meet: barriers under any name are one kind."""
    last = row.name.rpartition(".")[2]
    return "barrier" if any(word in last for word in _BARRIERS) and "gradient" not in last else last


def _collective(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    group = argument(args, kwargs, row.group_arg, row.group_pos)
    if isinstance(group, PerRank):
        return (
            w.split(group, node, "group", lambda seen: _collective_in(w, row, args, kwargs, node, receiver, seen))
            or NONE
        )
    return _collective_in(w, row, args, kwargs, node, receiver, group)


def _collective_in(
    w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None, group: Value | None
) -> Value:
    if group is not None:
        args, kwargs = _regrouped(row, args, kwargs, group)
    if row.form == "class" and "collective" not in row.also:
        return w.external_object(row.name, args, kwargs, node)
    key, members = group_of(w, row, args, kwargs)
    effect = "collective"
    event = w.emit(
        row.name,
        effect,
        node,
        api=row,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        group=key,
        label=label_of(row),
        details={"members": members, **_listed(w, row, args, kwargs), **devices(w, kwargs)},
    )
    w.distributed = True
    factory = "group_factory" in row.also
    if factory and _truthy(kwargs.get("use_local_synchronization")):
        pass
    elif conditions.holds(w, row, kwargs, receiver):
        w.operate(event, kind_of(row), key, members)
    if factory:
        return _new_group(w, args, kwargs)
    return _result(w, row, args, kwargs, node, receiver)


def _listed(w: Walker, row: Api, args: Args, kwargs: Kwargs) -> dict[str, object]:
    """For a new group, the value that names its members; the items of a list."""
    given = argument(args, kwargs, "ranks", 0) if "group_factory" in row.also else None
    if given is None:
        return {}
    items = calls.items_of(w, given) if isinstance(given, (Container, Tuple)) else None
    return {"ranks": given if items is None else Tuple(tuple(items))}


def devices(w: Walker, kwargs: Kwargs) -> dict[str, object]:
    """The numbers of the devices that a call is given as a list."""
    given = kwargs.get("device_ids")
    items = calls.items_of(w, given) if isinstance(given, (Container, Tuple)) else None
    return {} if items is None else {"devices": Tuple(tuple(items))}


def _regrouped(row: Api, args: Args, kwargs: Kwargs, group: Value) -> tuple[Args, Kwargs]:
    if row.group_arg in kwargs:
        return args, {**kwargs, row.group_arg: group}
    if row.group_pos is not None and row.group_pos < len(args):
        return [*args[: row.group_pos], group, *args[row.group_pos + 1 :]], kwargs
    return args, kwargs


def _truthy(found: Value | None) -> bool:
    return isinstance(found, Const) and bool(found.value)


def label_of(row: Api) -> str:
    """A short name of an operation for people."""
    return row.name.rpartition(".")[2]


def _nth_group(w: Walker) -> int:
    """The identity of a group: ranks that make their n-th group make the same one, wherever each of them does."""
    where = meetings("new_group", "")
    before = w.state.read(where) or NONE
    w.state.write(where, Unknown(symbol("after", expressions.key_of(before))))
    return w.owner(("group", expressions.key_of(before)))


def _new_group(w: Walker, args: Args, kwargs: Kwargs) -> Value:
    given = argument(args, kwargs, "ranks", 0)
    number = _nth_group(w)
    if given is None or given == NONE:
        return Group(number, EVERYONE)
    items = calls.items_of(w, given)
    members: int | None = 0
    for item in items if items is not None else [NONE]:
        if members is not None and isinstance(item, Const) and isinstance(item.value, int):
            members |= 1 << item.value if 0 <= item.value < WORLD_SIZE else 0
        else:
            members = None
    return Group(number, members)


def _result(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """What a collective leaves behind: an agreed result, an agreed argument, or a handle."""
    if row.uniform.startswith("arg:"):
        _agree(w, row, int(row.uniform[4:]), args, kwargs, node)
    elif row.uniform == "none" and args:
        _scatter(w, row, args, node)
    flag = argument(args, kwargs, row.async_arg, row.async_pos)
    if flag is not None and _truthy(flag):
        return w.external_object("torch.distributed.Work", [], {}, node)
    if row.uniform == "return" or "sanitizer" in row.also:
        root = argument(args, kwargs, row.root_arg, row.root_pos)
        if row.uniform == "return" and args and root is not None and isinstance(root, Const):
            return _from_root(w, args[0], root, agreed(w, row, args, kwargs))
        return agreed(w, row, args, kwargs)
    return methods.result_of(
        w, ("call", row.name, fresh("result")), [a for a in args if not isinstance(a, PerRank)], node
    )


def agreed(w: Walker, row: Api, args: Args, kwargs: Kwargs) -> Unknown:
    """What ranks know after they have met: the same unknown for the n-th meeting of its kind, wherever it is called."""
    group, _ = group_of(w, row, args, kwargs)
    where = meetings(kind_of(row), group)
    before = w.state.read(where) or NONE
    w.state.write(where, Unknown(symbol("after", expressions.key_of(before))))
    return Unknown(symbol("agreed", kind_of(row), group, expressions.key_of(before)))


def _from_root(w: Walker, sent: Value, root: Value, otherwise: Value) -> Value:
    """The root's own value, where all ranks are here to receive it and it is known."""
    if w.state.mask != w.everyone or not isinstance(root, Const) or root.value not in range(WORLD_SIZE):
        return otherwise
    seen = project(sent, root.value)
    return seen if isinstance(seen, Const) else otherwise


def _agree(w: Walker, row: Api, index: int, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> None:
    """The argument becomes equal on all ranks of the group: the root's value for a broadcast."""
    result = agreed(w, row, args, kwargs)
    old = argument(args, kwargs, row.uniform_arg, index)
    if not isinstance(node, cst.Call) or old is None:
        return
    root: Value = NONE
    if "broadcast" in row.name:
        root = argument(args, kwargs, row.root_arg, row.root_pos) or Const(0)
    if isinstance(old, Container):
        items = calls.items_of(w, old)
        content: Value = result
        if items is not None and len(items) < 32:
            parts = [Unknown(symbol("part", result.symbol, i)) for i in range(len(items))]
            content = Tuple(tuple(_from_root(w, item, root, part) for item, part in zip(items, parts, strict=True)))
        w.state.write((old.id, ""), content)
        if old.kind != "dict":
            for where in [where for where in w.state.store if where[0] == old.id and where[1]]:
                w.state.write(where, UNBOUND)
        return
    inplace.change(w, argument_node(node, index, row.uniform_arg), old, _from_root(w, old, root, result))


def argument_node(node: cst.Call, index: int, name: str) -> cst.BaseExpression | None:
    """The expression of an argument, by its position or its name."""
    plain = [arg.value for arg in node.args if arg.keyword is None and arg.star == ""]
    named = (arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value == name)
    return plain[index] if index < len(plain) else next(named, None)


def _scatter(w: Walker, row: Api, args: Args, node: cst.CSTNode) -> None:
    """``reduce``, ``scatter``: afterwards the tensor differs between ranks."""
    if not isinstance(node, cst.Call) or "reduce" not in row.name:
        return
    target = argument_node(node, 0, "tensor")
    if isinstance(target, (cst.Name, cst.Attribute)):
        trail = w.trail(node, f"{label_of(row)}: valid on the destination only")
        inplace.change(w, target, args[0] if args else NONE, Varying(Reason.DATA, fresh("reduced"), trail))


def varying_result(w: Walker, row: VaryingRow, name: str, args: Args, node: cst.CSTNode) -> Value:
    """The result of a call that the value table describes."""
    if row.uniform:
        return Unknown(symbol("call", name, *(expressions.key_of(arg) for arg in args)))
    reason = {"clock": Reason.CLOCK, "random": Reason.RANDOM, "data": Reason.DATA}.get(row.varying, Reason.FILESYSTEM)
    w.emit(name, "local_value", node, args=args)
    if reason is Reason.FILESYSTEM:
        what = symbol("call", name, *(expressions.key_of(arg) for arg in args))
    else:
        what = symbol(NAMED, fresh(name)) if row.named else fresh(name)
    return Varying(reason, what, w.trail(node, name))


def _is_there(w: Walker, row: Api) -> bool:
    """Whether the same framework was asked on the way here who the rank is: its shared state has been made."""
    texts = (origin.text for guard in w.guards for origin in guard.origins)
    return row.name.endswith("State") and any(text.startswith(f"{row.framework}.") for text in texts)


def _init(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    again = row.form == "class" and (
        any(event.name == row.name and event.effect == "init" for event in w.events) or _is_there(w, row)
    )
    event = w.emit(row.name, "init", node, api=row, args=args, kwargs=kwargs, receiver=receiver, label=label_of(row))
    if again:  # state that all instances share: only the first one meets the other ranks
        return w.external_object(row.name, args, kwargs, node)
    size = _count_of_processes(w, row, args, kwargs)
    literal = isinstance(size, Const) and isinstance(size.value, int) and size.value not in (-1, WORLD_SIZE)
    part = isinstance(size, Unknown) and _divides(size.symbol)
    w.operate(event, "init", "", None if literal or part else 0)
    if "group_factory" in row.also or row.form == "class":
        return w.external_object(row.name, args, kwargs, node)
    return NONE


def _divides(what: Symbol) -> bool:
    """Whether a number is worked out by a division: a part of the processes meets, not all."""
    if what.key[:2] in (("op", "/"), ("op", "//")):
        return True
    return any(isinstance(part, Symbol) and _divides(part) for part in what.key)


def _count_of_processes(w: Walker, row: Api, args: Args, kwargs: Kwargs) -> Value | None:
    """How many processes a call starts or waits for. From then on an unknown number is taken to be several."""
    size = argument(args, kwargs, row.world_arg or "world_size", row.world_pos)
    if isinstance(size, Unknown):
        w.several.add(size.symbol)
    return size


def _event(effect: str) -> Callable[..., Value]:
    def run(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
        w.emit(row.name, effect, node, api=row, args=args, kwargs=kwargs, receiver=receiver, label=label_of(row))
        if row.form == "class":
            return w.external_object(row.name, args, kwargs, node)
        return methods.result_of(w, ("call", row.name, receiver), args, node)

    return run


def _save_all(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    event = w.emit(
        row.name,
        "save_all_ranks",
        node,
        api=row,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        label=label_of(row),
        details={"sharded": sharding.is_sharded(w, args, receiver)},
    )
    if sharding.gathers(w, row, args, kwargs, receiver) and not _truthy(kwargs.get("no_dist")):
        key, members = group_of(w, row, args, kwargs)
        w.operate(event, label_of(row), key, members)
    savehooks.run(w, row, receiver, argument(args, kwargs, "output_dir", 0), node)
    return methods.result_of(w, ("call", row.name, fresh("saved")), args, node)


def _launcher(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """``mp.spawn(fn, args=...)``: the callback runs as every rank; its rank parameter names it."""
    w.emit(row.name, "launch", node, api=row, args=args, kwargs=kwargs, receiver=receiver)
    target = (
        argument(args, kwargs, "fn", 0) or argument(args, kwargs, "function", 0) or argument(args, kwargs, "target", 0)
    )
    _count_of_processes(w, row, args, kwargs)
    rest = kwargs.get("args") or (args[1] if len(args) > 1 else None)
    inner = calls.items_of(w, rest) if rest is not None else []
    if row.rank_param is None or not isinstance(target, (Function, Bound)):
        if target is not None and isinstance(target, (Function, Bound)):
            return calls.call_value(w, target, inner or [], {}, node)
        return NONE
    passed: Args = list(inner) if inner is not None else []
    passed.insert(row.rank_param, identity.rank_value(w, "global", node, f"{row.name}: process index"))
    extra: Kwargs = {} if inner is not None else {"*": unknown("args")}
    return calls.call_value(w, target, passed, extra, node)


def _sampler(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    made = w.external_object(row.name, args, kwargs, node)
    w.emit(row.name, "sampler", node, api=row, args=args, kwargs=kwargs, receiver=receiver, result=made)
    return shares.of_call(w, row, argument(args, kwargs, row.rank_arg, row.rank_pos), node) or made


def _context(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    made = w.external_object(row.name, args, kwargs, node)
    w.contexts[made.id] = row
    return made


def manage(
    w: Walker, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> bool:
    """Run a with-body under a manager that the tables know."""
    row = w.contexts.get(manager.id) or w.knowledge.lookup(manager.name)
    if turns_grad_off(manager.name, manager.args):
        flagged(w, "no_grad", body)
        return True
    if row is None:
        return False
    if row.kind == "share_context":
        shares.manage(w, row, manager, node, bind, body)
        return True
    bind(manager)
    if row.kind == "main_first_context":
        _main_first(w, row, manager, node, body)
    elif row.kind == "no_sync_context":
        flagged(w, "no_sync", body)
    elif row.kind == "join_context":
        w.tolerant += 1
        try:
            body()
        finally:
            w.tolerant -= 1
    elif row.kind == "rank_zero_context":
        kind = identity.kind_of_predicate(row) or "main"

        def run() -> Value:
            body()
            return NONE

        w.on_ranks(identity.ranks_where(kind), w.trail(node, row.name), node, "with", run)
    else:
        body()
    return True


def flag(w: Walker, name: str) -> bool:
    """Whether a mode (``no_grad``, ``no_sync``) is on."""
    return w.state.read((0, name)) == TRUE


def flagged(w: Walker, name: str, body: Callable[[], None]) -> None:
    before = w.state.read((0, name)) or FALSE
    w.state.write((0, name), TRUE)
    try:
        body()
    finally:
        w.state.write((0, name), before)


def _main_first(w: Walker, row: Api, manager: Object, node: cst.CSTNode, body: Callable[[], None]) -> None:
    """The others wait at the door while the main process is inside; then it waits for them."""
    local = (
        "local" in row.name.rpartition(".")[2]
        or manager.argument(0, "local") == TRUE
        or (row.name.startswith("transformers.") and manager.argument(0, "local") is None)
    )
    first = identity.ranks_where("local" if local else "main")
    trail = w.trail(node, label_of(row))

    def wait() -> Value:
        event = w.emit(row.name, "collective", node, api=row, label=f"{label_of(row)} (barrier)")
        w.operate(event, "barrier")
        return NONE

    w.on_ranks([not main for main in first], trail, node, "with", wait)
    mask = w.state.mask
    inside = w.trace_of(body)
    after = w.state.mask
    w.state.mask = mask
    final = w.trace_of(lambda: w.on_ranks(first, trail, node, "with", wait))
    w.state.mask &= after
    w.state.trace.append(Guarded(inside, [], swallows=False, final=final))


def _wrapper(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    return wrappers.wrap(w, row, args, kwargs, node, receiver)


def _loader(w: Walker, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    return data.loader(w, row, args, kwargs, node, receiver)


Handler = Callable[["Walker", "Api", Args, Kwargs, cst.CSTNode, "Value | None"], Value]

_KINDS: dict[str, Handler] = {
    "collective": _collective,
    "init": _init,
    "teardown": _event("teardown"),
    "point_to_point": _event("point_to_point"),
    "save_all_ranks": _save_all,
    "save_rank0": _event("write"),
    "save_any": _event("save_any"),
    "log_any": _event("log"),
    "timeout_setter": _event("timeout"),
    "device": _event("bind_device"),
    "timer": _event("timer"),
    "wait": _event("wait"),
    "launcher": _launcher,
    "wrapper": _wrapper,
    "loader": _loader,
    "sampler": _sampler,
    "main_first_context": _context,
    "no_sync_context": _context,
    "join_context": _context,
    "rank_zero_context": _context,
    "share_context": _context,
    "rank_zero_decorator": lambda w, row, args, kwargs, node, receiver: _zero_decorator(w, row, args, node),
}


def _zero_decorator(w: Walker, row: Api, args: Args, node: cst.CSTNode) -> Value:
    from ddplint.simulate.values import OnRanks

    kind = identity.kind_of_predicate(row) or "main"
    if args and not isinstance(args[0], (Const, Unknown)):
        return OnRanks(args[0], identity.ranks_where(kind), w.trail(node, f"@{label_of(row)}"))
    return w.external_object(row.name, args, {}, node)

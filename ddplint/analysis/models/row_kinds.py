"""What each kind of row in the knowledge tables means for a walk."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from ddplint.analysis.domain.arguments import Args, Kwargs, argument
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import GuardKind, Reason
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    WORLD_SIZE,
    Bound,
    Const,
    Function,
    Object,
    Tuple,
    Unknown,
    Value,
    unknown,
)
from ddplint.analysis.memory import containers, modes, presence
from ddplint.analysis.memory.modes import Contexts
from ddplint.analysis.memory.numbers import Sizes
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.store import ALONE, FEWER
from ddplint.analysis.models import results
from ddplint.analysis.models.data import files, filters, loaders, sharing
from ddplint.analysis.models.distributed import collectives, handed_back, ranks, sharding, wrapped
from ddplint.analysis.models.python import background, environment, processes
from ddplint.analysis.openworld.programs import group_created, one_process, orders, rank_evidence, shuffles
from ddplint.analysis.trace.events import Details
from ddplint.analysis.trace.exits import ExitKind
from ddplint.analysis.trace.nodes import Guarded, leaves_by
from ddplint.config.pins import demanded, version
from ddplint.knowledge import Api
from ddplint.knowledge.which_rank import kind_of_predicate


def apply(
    w: Interp, row: Api, name: str, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None
) -> Value:
    """Do what the row says a call does; the result as the row says it is."""
    presence.asked(w, row)
    if row.kind in ("wrapper", "collective", "save_all_ranks") and modes.alone(w, receiver):
        if "starts_ranks" in row.also:
            w.emit(row, Effect.ALONE, node, args=args, kwargs=kwargs, receiver=receiver)
        whole = args[0] if len(args) == 1 else Tuple(tuple(args))
        return whole if args else results.result_of(w, ("call", row.name, receiver), args, node)
    if row.effect:
        result = files.file_call(w, row, args, kwargs, node, receiver)
        result = shuffles.given(w, row, args, kwargs, node, receiver, result)
        if "filters" in row.also:
            return filters.of_data_set(w, receiver, args, kwargs, node) or filters.noted(w, receiver, result)
        if row.kind in ("local", "save_rank0"):
            return result
    if receiver is not None and handed_back.trains_nothing_wrapped(w, row, receiver):
        return handed_back.backward(w, row, args, node, receiver)
    handler = _KINDS.get(row.kind)
    if handler is None:
        return value(w, row, node, receiver, args, kwargs)
    return handler(w, row, args, kwargs, node, receiver)


def value(w: Interp, row: Api, node: cst.CSTNode, receiver: Value | None, args: Args, kwargs: Kwargs) -> Value:
    """The result of a row that only gives a value."""
    if row.from_then and _is_outdated(w, row):
        return Const(int(row.from_then))
    if row.kind == "rank_source":
        return ranks.rank_source(w, row, node, receiver, args, kwargs)
    if row.kind == "rank_predicate":
        local = argument(args, kwargs, "local", 0)
        kind = kind_of_predicate(row, per_node=not (isinstance(local, Const) and not local.value))
        if row.gives and row.when and not modes.switched_on(row.when, kwargs, receiver):
            kind = "main"
        if kind:
            named = "" if kind != "local" or "local" in row.name else ": true for the first local rank of every node"
            return rank_evidence.predicate_value(w, kind, node, row.name + named)
        return Unknown(symbol("membership", row.name, receiver))
    if row.kind == "uniform_source":
        return ranks.uniform_source(w, row, receiver, args, kwargs)
    if row.kind == "collective":
        return collectives.collective(w, row, args, kwargs, node, receiver)
    return results.result_of(w, ("call", row.name, receiver), args, node)


def _is_outdated(w: Interp, row: Api) -> bool:
    """Whether the project of the walked file demands a version of the package for which the row does not hold."""
    return w.home is not None and demanded(w.home.file.real_path, row.framework, version(row.before))


def _init(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    if _pretends(w, row, args, kwargs):
        return NONE
    again = row.form == "class" and (
        any(event.name == row.name and event.effect == Effect.INIT for event in w.events) or ranks.is_there(w, row)
    )
    size = _count_of_processes(w, row, args, kwargs)
    if size == Const(1) and "group_factory" not in row.also:
        w.state.write(ALONE, TRUE)  # until a group of several is made, nobody waits for anybody
    event = w.emit(row, Effect.INIT, node, args=args, kwargs=kwargs, receiver=receiver, label=collectives.label_of(row))
    if again:  # state that all instances share: only the first one meets the other ranks
        return w.external_object(row.name, args, kwargs, node)
    literal = isinstance(size, Const) and isinstance(size.value, int) and size.value not in (-1, WORLD_SIZE)
    part = environment.is_lessened(size)
    if part and (_some_may_have_ended(w) or any(guard.reason is Reason.IDENTITY for guard in w.guards)):
        w.state.write(FEWER, TRUE)
    w.operate(event, "init", "", None if literal or part else 0)
    group_created.note_made(w)
    if "group_factory" in row.also or row.form == "class":
        return w.external_object(row.name, args, kwargs, node)
    return ranks.given(w, row, node) if row.gives else NONE


def _some_may_have_ended(w: Interp) -> bool:
    """Whether a process may be over since the function began that the walk is in."""
    return leaves_by(w.state.trace, frozenset({ExitKind.EXIT, ExitKind.QUIT}))


def _pretends(w: Interp, row: Api, args: Args, kwargs: Kwargs) -> bool:
    """Whether the process only imagines the others (the backend "fake"): from then on it waits for nobody."""
    if not row.alone:
        return False
    pretends = row.alone_by.of(args, kwargs) == Const(row.alone)
    w.state.write(ALONE, TRUE if pretends else FALSE)
    return pretends


def _count_of_processes(w: Interp, row: Api, args: Args, kwargs: Kwargs) -> Value | None:
    """How many processes a call starts or waits for. From then on an unknown number is taken to be several."""
    size = row.world.named("world_size").of(args, kwargs)
    ways = alternatives(size) if size is not None else ()
    w.record(Sizes).symbols.update(way.symbol for way in ways if isinstance(way, Unknown))
    return size


def _event(effect: Effect) -> Callable[..., Value]:
    def run(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
        w.emit(row, effect, node, args=args, kwargs=kwargs, receiver=receiver, label=collectives.label_of(row))
        if row.form == "class":
            return w.external_object(row.name, args, kwargs, node)
        return results.result_of(w, ("call", row.name, receiver), args, node)

    return run


def _save_all(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    event = w.emit(
        row,
        Effect.SAVE_ALL_RANKS,
        node,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        label=collectives.label_of(row),
        details={"sharded": sharding.is_sharded(w, args, receiver)},
    )
    if sharding.gathers(w, row, args, kwargs, receiver) and not collectives.truthy(kwargs.get("no_dist")):
        key, members = collectives.group_of(w, row, args, kwargs)
        w.operate(event, collectives.label_of(row), key, members)
    files.run(w, row, receiver, argument(args, kwargs, "output_dir", 0), node)
    return results.typed(w, row.name, results.result_of(w, ("call", row.name, fresh("saved")), args, node))


def _launcher(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """``mp.spawn(fn, args=...)``: the callback runs as every rank; its rank parameter names it."""
    if processes.STARTS in row.also:
        return processes.started(w, row, args, kwargs, node)
    w.emit(row, Effect.LAUNCH, node, args=args, kwargs=kwargs, receiver=receiver)
    target = (
        argument(args, kwargs, "fn", 0) or argument(args, kwargs, "function", 0) or argument(args, kwargs, "target", 0)
    )
    _count_of_processes(w, row, args, kwargs)
    if row.form == "class":  # the function gets its arguments where what is made here is called
        target = argument(args, kwargs, "entrypoint", 1)
        if isinstance(target, (Function, Bound)):
            w.semantics.call_value(w, target, [], {"*": unknown("args")}, node)
        return w.external_object(row.name, args, kwargs, node)
    rest = kwargs.get("args") or (args[1] if len(args) > 1 else None)
    inner = containers.items_of(w, rest) if rest is not None else []
    if row.rank_param is None or not isinstance(target, (Function, Bound)):
        if target is not None and isinstance(target, (Function, Bound)):
            return w.semantics.call_value(w, target, inner or [], {}, node)
        return NONE
    with one_process.inside(w, one_process.is_started(row, args, kwargs)):
        return _as_each_rank(w, row, target, inner, node)


def _as_each_rank(w: Interp, row: Api, target: Value, inner: Args | None, node: cst.CSTNode) -> Value:
    """Call what a launcher starts, with the process's number and what it passes on; None: that is not known."""
    assert row.rank_param is not None
    passed: Args = list(inner) if inner is not None else []
    passed.insert(row.rank_param, rank_evidence.rank_value(w, "global", node, f"{row.name}: process index"))
    extra: Kwargs = {} if inner is not None else {"*": unknown("args")}
    return w.semantics.call_value(w, target, passed, extra, node)


def _sampler(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    made = w.external_object(row.name, args, kwargs, node)
    base = receiver or argument(args, kwargs, "dataset", 0)
    own: Details = {"order": orders.own_order(w, base)}
    w.emit(row, Effect.SAMPLER, node, args=args, kwargs=kwargs, receiver=receiver, result=made, details=own)
    return sharing.of_call(w, row, row.rank.of(args, kwargs), base, node) or made


def _stream(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    share = sharing.by_function(w, row, args, kwargs, node)
    return w.external_object(row.name, args, kwargs, node) if share is None else share


def _context(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    made = w.external_object(row.name, args, kwargs, node)
    w.record(Contexts).rows[made.id] = row
    return made


def manage(
    w: Interp, manager: Object, node: cst.CSTNode, bind: Callable[[Value], None], body: Callable[[], None]
) -> bool:
    """Run a with-body under a manager that the tables know."""
    row = w.record(Contexts).rows.get(manager.id) or w.knowledge.lookup(manager.name)
    if modes.turns_grad_off(manager.name, manager.args):
        modes.flagged(w, "no_grad", body)
        return True
    if row is None:
        return False
    if row.kind == "share_context":
        sharing.manage(w, row, manager, node, bind, body)
        return True
    bind(manager)
    if row.kind == "main_first_context":
        _main_first(w, row, manager, node, body)
    elif row.kind == "no_sync_context":
        modes.flagged(w, "no_sync", body)
    elif row.kind == "join_context":
        with w.saved(tolerant=w.tolerant + 1):
            body()
    elif row.kind == "rank_zero_context":
        kind = kind_of_predicate(row) or "main"

        def run() -> Value:
            body()
            return NONE

        w.on_ranks(rank_evidence.ranks_where(kind), w.trail(node, row.name), node, GuardKind.WITH, run)
    elif row.kind == "state_dict_context":
        sharding.inside(w, row, manager, body)
    else:
        body()
    return True


def _main_first(w: Interp, row: Api, manager: Object, node: cst.CSTNode, body: Callable[[], None]) -> None:
    """The others wait at the door while the main process is inside; then it waits for them."""
    local = (
        "local" in row.name.rpartition(".")[2]
        or manager.argument(0, "local") == TRUE
        or (row.name.startswith("transformers.") and manager.argument(0, "local") is None)
    )
    first = rank_evidence.ranks_where("local" if local else "main")
    trail = w.trail(node, collectives.label_of(row))

    def wait() -> Value:
        event = w.emit(row, Effect.COLLECTIVE, node, label=f"{collectives.label_of(row)} (barrier)")
        w.operate(event, "barrier")
        return NONE

    w.on_ranks([not main for main in first], trail, node, GuardKind.WITH, wait)
    with w.saved(mask=w.state.mask):
        inside = w.trace_of(body)
        after = w.state.mask
    final = w.trace_of(lambda: w.on_ranks(first, trail, node, GuardKind.WITH, wait))
    w.state.mask &= after
    lax = "released_on_failure" not in row.also
    w.state.trace.append(Guarded(inside, [], swallows=False, final=final, lax=lax))


def _background(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """A thread, or work for a pool of threads or processes."""
    if row.form == "class":
        background.started(w, row, args, kwargs, node)
        return w.external_object(row.name, args, kwargs, node)
    background.submitted(w, args, kwargs, node)
    return results.typed(w, row.name, results.result_of(w, ("call", row.name, fresh("submitted")), args, node))


def _training_step(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """The gradients of the loss that is given first, and a step of the optimizer that is given behind it."""
    loss, optimizer = argument(args, kwargs, "loss", 0), argument(args, kwargs, "optimizer", 1)
    if loss is not None:
        wrapped.backward(w, loss, node)
    if optimizer is not None:
        loaders.note_step(w, optimizer, [], {}, node)
    return NONE


Handler = Callable[["Interp", "Api", Args, Kwargs, cst.CSTNode, "Value | None"], Value]

_KINDS: dict[str, Handler] = {
    "collective": collectives.collective,
    "init": _init,
    "teardown": _event(Effect.TEARDOWN),
    "point_to_point": _event(Effect.POINT_TO_POINT),
    "save_all_ranks": _save_all,
    "save_rank0": _event(Effect.WRITE),
    "save_any": _event(Effect.SAVE_ANY),
    "log_any": _event(Effect.LOG),
    "timeout_setter": _event(Effect.TIMEOUT),
    "device": _event(Effect.BIND_DEVICE),
    "timer": _event(Effect.TIMER),
    "wait": _event(Effect.WAIT),
    "launcher": _launcher,
    "background": _background,
    "training_step": _training_step,
    "wrapper": wrapped.wrap,
    "loader": loaders.loader,
    "sampler": _sampler,
    "stream": _stream,
    "main_first_context": _context,
    "no_sync_context": _context,
    "join_context": _context,
    "rank_zero_context": _context,
    "share_context": _context,
    "state_dict_context": _context,
    "rank_zero_decorator": lambda w, row, args, kwargs, node, receiver: _zero_decorator(w, row, args, node),
}


def _zero_decorator(w: Interp, row: Api, args: Args, node: cst.CSTNode) -> Value:
    from ddplint.analysis.domain.values import OnRanks

    kind = kind_of_predicate(row) or "main"
    if args and not isinstance(args[0], (Const, Unknown)):
        return OnRanks(args[0], rank_evidence.ranks_where(kind), w.trail(node, f"@{collectives.label_of(row)}"))
    return w.external_object(row.name, args, {}, node)

"""Calls that touch the disk: who writes, who reads, and what they pass on; hooks that run at a save."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain import limits
from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.provenance import may_be_name
from ddplint.analysis.domain.symbols import fresh, symbol
from ddplint.analysis.domain.values import (
    TRUE,
    WORLD_SIZE,
    Bound,
    Const,
    Container,
    Function,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    by_rank_in,
    varying_in,
)
from ddplint.analysis.memory import containers
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.shares.turns import SharedOut
from ddplint.analysis.models import results
from ddplint.analysis.models.data import listings
from ddplint.analysis.models.python import paths
from ddplint.knowledge import Api, Arg

# -- files -----------------------------------------------------------------------------------------------------------


def _is_read_only(row: Api, args: Args, kwargs: Kwargs) -> bool:
    """Whether a data base is opened that this process will not write to."""
    if not row.read_only.name:
        return False
    return row.read_only.of(args, kwargs) == TRUE


def _only_looks(row: Api, args: Args, kwargs: Kwargs) -> bool:
    """Whether a call was not asked for what it does (``download=True``), or is kept from it (``source="local"``)."""
    name, _, value = row.unless.partition("=")
    given = kwargs.get(name) if name else None
    if isinstance(given, Const) and str(given.value) == value:
        return True
    if not row.if_:
        return False
    wanted = row.if_.of(args, kwargs)
    return wanted is None or (isinstance(wanted, Const) and not wanted.value)


def file_call(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    """A call that touches files (or a tracker, a download, a subprocess): recorded with its path."""
    if _only_looks(row, args, kwargs):
        found = row.path.of(args, kwargs)
        w.emit(row, Effect.READ, node, args=args, kwargs=kwargs, details={"path": found})
        return _plain_result(w, row, args, kwargs, node, receiver)
    path = _file_argument(row.path, args, kwargs, receiver)
    mode = row.mode.of(args, kwargs)
    effect = Effect(row.effect_of(mode.value if isinstance(mode, Const) and isinstance(mode.value, str) else None))
    if isinstance(mode, (Unknown, Varying)):
        effect = Effect.OPEN
    elif _is_read_only(row, args, kwargs):
        effect = Effect.READ
    handle = _file_argument(row.handle, args, kwargs, receiver)
    if path is None and isinstance(handle, Object):
        path = handle.argument(0, "path")
    w.emit(
        row,
        effect,
        node,
        args=args,
        kwargs=kwargs,
        receiver=receiver,
        details={
            "path": _taken(w, path),
            "target": _taken(w, _file_argument(row.target, args, kwargs, receiver)),
            "mode": mode,
            "handle": handle,
            "content": parts_in(w, [value for value in (*args, *kwargs.values()) if value is not path]),
            "command": _command(w, args, kwargs) if effect is Effect.PROCESS else (),
        },
    )
    w.semantics.tracker_call(w, row, node)
    if row.effect in _FOLDERS:
        return w.external_object(row.name, args, kwargs, node)
    if row.name in _OPENING:
        given = {} if mode is None else {"mode": mode}
        return w.external_object("io.TextIOWrapper", [path] if path is not None else [], given, node)
    return _plain_result(w, row, args, kwargs, node, receiver)


def _command(w: Interp, args: Args, kwargs: Kwargs) -> tuple[Value, ...]:
    """The words of the command that a process is started with; what else the call is given is not among them."""
    given = args or [value for name, value in kwargs.items() if name in _COMMANDS]
    return parts_in(w, given)


def _file_argument(arg: Arg, args: Args, kwargs: Kwargs, receiver: Value | None) -> Value | None:
    """An argument that names a file: the object itself where the row says so."""
    return receiver if arg.name == "self" else arg.of(args, kwargs)


def _taken(w: Interp, path: Value | None) -> Value | None:
    """A path as the ranks see it: one that is made from a number which each rank takes for itself is its own."""
    path = listings.named(w, path)
    counters = w.record(SharedOut).counters
    if not isinstance(path, Unknown) or not counters.intersection(path.symbol.counters):
        return path
    return PerRank(tuple(Unknown(symbol("taken", path.symbol, Const(rank))) for rank in range(WORLD_SIZE)))


_OPENING = frozenset({"builtins.open", "io.open", "pathlib.Path.open"})
"""What opens a file and gives a stream of it."""
_FOLDERS = frozenset({Effect.NODE_FOLDER, Effect.RUN_FOLDER})
"""Effects that name a folder in which an object works later."""
_COMMANDS = ("args", "cmd", "command", "program")
"""What calls that start a process call their command."""


def parts_in(w: Interp, values: Sequence[Value]) -> tuple[Value, ...]:
    """Values, taken out of dicts, lists and tuples."""
    found: list[Value] = []
    rest = list(reversed(values))
    for _ in range(limits.ARGUMENT_PARTS):
        if not rest:
            break
        value = w.state.narrow(rest.pop())
        content = w.state.read((value.id, "")) if isinstance(value, Container) else value
        pairs = containers.pairs_of(w, value)
        if pairs is not None:
            rest.extend(reversed(pairs))
        elif isinstance(content, Tuple):
            rest.extend(reversed(content.items))
        elif content is not None:
            found.append(content)
    return tuple(found)


def _plain_result(w: Interp, row: Api, args: Args, kwargs: Kwargs, node: cst.CSTNode, receiver: Value | None) -> Value:
    varying = w.knowledge.value(row.name)
    if varying is not None:
        path = [paths.text_of(receiver)] if receiver is not None and paths.is_path(receiver) else []
        return results.varying_result(w, varying, row.name, [*path, *args], node)
    if row.effect == Effect.TEMPNAME:
        return Varying(Reason.RANDOM, fresh("name"), w.trail(node, f"{row.name}: a name of its own on each rank"))
    if row.form == "class":
        return w.external_object(row.name, args, {}, node)
    if row.effect in _GIVE_CONTENT:
        args = results.without_drawn(args, may_be_name)
    given = [value for key, value in kwargs.items() if key in _WHICH]
    found = results.result_of(w, ("call", row.name), [*args, *given], node)
    own = any(by_rank_in(value) or varying_in(value) is not None for value in kwargs.values())
    return found if own else results.typed(w, row.name, found)  # with a seed of its own each has another order


_WHICH = frozenset({"data_files", "name", "split"})
"""Arguments by keyword that say which data are read."""


_GIVE_CONTENT = frozenset({Effect.DOWNLOAD, Effect.READ})
"""Effects whose result is what lay under the name: that each rank drew a name does not make it differ."""

REGISTERS, RUNS = "registers_hook", "runs_hooks"
"""What rows say in ``also`` of the call that takes such a function, and of the one that calls them."""

_KEPT = "<hooks>"

_GIVEN = ("models", "weights")


def note(w: Interp, row: Api | None, receiver: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Keep the function that a registration is given."""
    if row is None or REGISTERS not in row.also:
        return
    hook = args[0] if args else kwargs.get("hook")
    if isinstance(hook, (Function, Bound)):
        w.state.write((w.owner(receiver), _KEPT), Tuple((*_kept(w, receiver), hook)))


def run(w: Interp, row: Api, receiver: Value | None, path: Value | None, node: cst.CSTNode) -> None:
    """Call what was registered, with what is saved (unknown) and the folder that it goes to."""
    if RUNS in row.also and receiver is not None:
        for hook in _kept(w, receiver):
            given: list[Value] = [Unknown(fresh(name)) for name in _GIVEN]
            w.semantics.call_value(w, hook, [*given, path or Unknown(fresh("folder"))], {}, node)


def _kept(w: Interp, receiver: Value) -> tuple[Value, ...]:
    held = w.state.read((w.owner(receiver), _KEPT))
    return held.items if isinstance(held, Tuple) else ()

"""The environment of a process, and the salt of its hashes."""

from __future__ import annotations

import libcst as cst

from ddplint.analysis.domain.arguments import Args
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.join import alternatives
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import is_divided, symbol
from ddplint.analysis.domain.values import (
    LOCAL_WORLD_SIZE,
    TRUE,
    UNBOUND,
    WORLD_SIZE,
    Const,
    Unknown,
    Value,
    Varying,
    unknown,
)
from ddplint.analysis.memory import definedness
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.python import plain_types
from ddplint.analysis.openworld.programs import rank_evidence


def environment(w: Interp, name: str, node: cst.CSTNode, default: Value | None) -> Value:
    """An environment variable: launchers set those that name the rank, the same everywhere for the rest."""
    stored = w.state.read((w.owner("os.environ"), name))
    row = w.knowledge.env(name)
    if row is not None and row.rank in rank_evidence.KINDS:
        return rank_evidence.rank_value(w, row.rank, node, f'environment "{name}"', as_text=True, tables=(row.rank,))
    if name == "WORLD_SIZE":
        w.distributed = True
        return stored if stored is not None and is_lessened(stored) else Const(str(WORLD_SIZE))
    if name == "LOCAL_WORLD_SIZE":
        return Const(str(LOCAL_WORLD_SIZE))
    given = Unknown(symbol("environment", name))
    if stored is None or stored is UNBOUND:
        return given
    return definedness.filled(w.state, (w.owner("os.environ"), name), given)


def is_set(w: Interp, name: str) -> Value:
    """Whether an environment variable is set: the launcher's are."""
    row = w.knowledge.env(name)
    if (row is not None and row.rank) or name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        w.distributed = True
        return TRUE
    return Unknown(symbol("environment", name, "set"))


def is_lessened(count: Value | None) -> bool:
    """Whether a number of processes is, on some path, a part of all that there are."""
    ways = alternatives(count) if count is not None else ()
    return any(isinstance(way, Unknown) and is_divided(way.symbol) for way in ways)


def variable(w: Interp, args: Args, node: cst.CSTNode) -> Value:
    """What ``os.environ.get`` gives for these arguments."""
    if args and isinstance(args[0], Const):
        return environment(w, str(args[0].value), node, args[1] if len(args) > 1 else None)
    return unknown("environment")


def set_environment(w: Interp, index: Value, value: Value, node: cst.CSTNode) -> None:
    """``os.environ[name] = value``."""
    if isinstance(index, Const) and isinstance(index.value, str):
        w.emit("os.environ.__setitem__", Effect.SET_ENV, node, args=[index, value])
        w.state.write((w.owner("os.environ"), index.value), value)


def hashed(w: Interp, args: list[Value], kwargs: dict[str, Value], node: cst.CSTNode) -> Value | None:
    """What ``hash`` gives: a number of the process's own for a text, unless the program sets the salt."""
    if len(args) != 1 or not plain_types.is_text(w.knowledge, args[0]) or "PYTHONHASHSEED" in w.frame.module.text:
        return None
    trail = w.trail(node, "hash() of a text: salted anew in each process")
    return Varying(Reason.RANDOM, symbol("call", "builtins.hash", args[0]), trail)

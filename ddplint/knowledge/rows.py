"""The rows of the tables as frozen facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, eq=False)
class Api:
    """One row of the tables; the fields are described in the tables' README. Positions are 0-based, without ``self``.

    Compared by identity: one :class:`Knowledge` gives one object per row. ``effect`` and the fields after it come from
    ``files.toml``; ``path_arg == "self"`` means the receiver is the path.
    """

    name: str
    form: str = "function"
    kind: str = "local"
    framework: str = ""
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    when: str = ""
    group_arg: str = ""
    group_pos: int | None = None
    root_arg: str = ""
    root_pos: int | None = None
    root_default: str = ""
    async_arg: str = ""
    async_pos: int | None = None
    timeout_arg: str = ""
    timeout_pos: int | None = None
    timeout_default: str = ""
    root_only_arg: str = ""
    root_only_pos: int | None = None
    rank_param: int | None = None
    rank_arg: str = ""
    rank_pos: int | None = None
    world_arg: str = ""
    world_pos: int | None = None
    shuffle_arg: str = ""
    shuffle_pos: int | None = None
    seed_arg: str = ""
    seed_pos: int | None = None
    drop_last_arg: str = ""
    drop_last_pos: int | None = None
    sampler_arg: str = ""
    sampler_pos: int | None = None
    is_main_arg: str = ""
    is_main_pos: int | None = None
    methods_collective: tuple[str, ...] = ()
    unwrap_attr: str = ""
    blocking: str = ""
    uniform: str = ""
    uniform_arg: str = ""
    gives: tuple[str, ...] = ()
    replacement: str = ""
    since: str = ""
    until: str = ""
    before: str = ""
    from_then: str = ""
    later: str = ""
    alone: str = ""
    alone_arg: str = ""
    alone_pos: int | None = None
    checked: str = ""
    verified: bool = True
    effect: str = ""
    begun_by: str = ""
    path_arg: str = ""
    path_pos: int | None = None
    pattern_arg: str = ""
    pattern_pos: int | None = None
    target_arg: str = ""
    target_pos: int | None = None
    mode_arg: str = ""
    mode_pos: int | None = None
    mode_default: str = ""
    unless: str = ""
    if_arg: str = ""
    if_pos: int | None = None
    exist_ok_arg: str = ""
    exist_ok_pos: int | None = None
    missing_ok_arg: str = ""
    missing_ok_pos: int | None = None
    ignore_errors_arg: str = ""
    ignore_errors_pos: int | None = None
    read_only_arg: str = ""
    read_only_pos: int | None = None
    handle_arg: str = ""
    handle_pos: int | None = None
    missing_ok: bool = False
    atomic: bool = False
    slow: bool = False
    small: bool = False

    @property
    def compiles(self) -> bool:
        """Whether what a wrapper gives back is a function, which is no model and runs on one process as well."""
        calls = self.methods_collective
        passes = any(method.startswith(("forward", "backward")) for method in calls)
        return not passes and any(method.startswith("__call__") for method in calls)

    @property
    def roles(self) -> tuple[str, ...]:
        """The kind, then the further roles."""
        return (self.kind, *self.also)

    def effect_of(self, mode: str | None) -> str:
        """The effect of a call with this file mode.

        Parameters: ``mode``, the value of the mode argument, ``None`` where it was not given. Rows without a mode have
        one effect whatever the mode.
        """
        if not (self.mode_arg or self.mode_pos is not None):
            return self.effect
        letters = (mode or self.mode_default).partition(":")[0].partition("|")[0]
        if "w" in letters or "x" in letters:
            return "write"
        return "append" if "a" in letters or "+" in letters else "read"


@dataclass(frozen=True, slots=True)
class Env:
    """An environment variable: who reads it, until when setting it has an effect, whether its value names the rank.

    ``costly`` are the values that hurt when they are left on, ``harmful`` says why; ``instead`` is what does the job.
    """

    name: str
    reader: tuple[str, ...] = ()
    status: str = "active"
    type: str = "string"
    unit: str = ""
    default: str = ""
    set_before: str = ""
    rank: str = ""
    renamed_to: str = ""
    since: str = ""
    until: str = ""
    nccl_class: str = ""
    harmful: str = ""
    costly: tuple[str, ...] = ()
    instead: str = ""
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Sharding:
    """An argument of whoever wraps a model, which splits its parameters over the ranks where it matches ``pattern``.

    ``forward``: every forward is then collective; ``saves``: saves of the whole model are.
    """

    arg: str
    pattern: str = ""
    forward: bool = False
    saves: bool = False


@dataclass(frozen=True, slots=True)
class Contradiction:
    """``name``, set to one of ``values``, does not fit together with variables that match ``against``.

    These are patterns of names, or ``PATTERN=value``; ``text`` says why.
    """

    name: str
    values: tuple[str, ...]
    against: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting that takes one way of communicating out of the game: ``turns_off`` says which, for ``backend``."""

    name: str
    value: str
    backend: str
    turns_off: str


@dataclass(frozen=True, slots=True)
class Varying:
    """What a call gives on different ranks: ``varying`` names the cause; ``uniform``: equal whatever the input.

    ``at_least`` is a number that the result never falls below where several processes share a node. ``named``: the
    result is a name or has one, which is never empty, or a time, which is never 0. ``order``: it says in which order
    things are taken, or which of them.
    """

    name: str
    varying: Literal["", "clock", "random", "filesystem", "data", "host"] = ""
    uniform: bool = False
    at_least: int | None = None
    named: bool = False
    order: bool = False

"""The rows of the tables as frozen facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Wraps = Literal["", "ddp", "fsdp", "fully_shard", "deepspeed", "prepare"]
"""How a wrapper trains a model; nothing for wrappers that no rule tells apart."""


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument of a call: its keyword, its 0-based position without ``self``, both, or none where it has no such."""

    name: str = ""
    position: int | None = None

    def __bool__(self) -> bool:
        return bool(self.name) or self.position is not None

    def of(self, args: Sequence[T], kwargs: Mapping[str, T]) -> T | None:
        """What a call gives for it; ``None`` where it gives nothing."""
        if self.name and self.name in kwargs:
            return kwargs[self.name]
        return args[self.position] if self.position is not None and self.position < len(args) else None

    def named(self, usual: str) -> Arg:
        """The same under its usual name, where the row says none."""
        return self if self.name else Arg(usual, self.position)


NO_ARG = Arg()


@dataclass(frozen=True, slots=True, eq=False)
class Api:
    """One row of the tables. What stands below a field goes into the tables' README.

    An :class:`Arg` is written as two fields there: ``group_arg`` and ``group_pos``. ``effect`` and the fields after it
    come from ``files.toml``; a path by the name ``self`` is the receiver. Compared by identity: one
    :class:`~ddplint.knowledge.lookup.Knowledge` gives one object per row.
    """

    name: str
    """full dotted name; for methods the class is part of it"""
    form: str = "function"
    """`function`, `method`, `property`, `class`, `context`, `decorator`, `value`; in `files.toml` also `any_method`,
    with the name `*.method`: a method name so distinctive that it is known on any object
    """
    kind: str = "local"
    """role, see below"""
    framework: str = ""
    aliases: tuple[str, ...] = ()
    """other full dotted names of the same object; whole modules under another path are in `aliases.toml`"""
    also: tuple[str, ...] = ()
    """further roles; may hold extra words, see below"""
    when: str = ""
    """the row's kind holds only under this condition; absent = always"""
    group: Arg = NO_ARG
    """the process group"""
    root: Arg = NO_ARG
    """the source or destination rank"""
    async_: Arg = NO_ARG
    """flag that turns the call into one that returns a handle"""
    timeout: Arg = NO_ARG
    """time-out parameter"""
    timeout_default: str = ""
    """(inits) the default of that parameter where it is not torch's own, in minutes and as people read it: `10 minutes
    (30 before 0.19.6)`
    """
    rank_param: int | None = None
    """(launchers) position of the callback's parameter that receives the rank"""
    rank: Arg = NO_ARG
    """(samplers, sharding, launchers, inits, translations) the rank"""
    world: Arg = NO_ARG
    """(samplers, sharding, launchers, inits) the number of ranks or processes"""
    shuffle: Arg = NO_ARG
    """(samplers, loaders) whether the order is drawn"""
    seed: Arg = NO_ARG
    """(`reorders`, `splits`, samplers) a seed, or a generator"""
    sampler: Arg = NO_ARG
    """(loaders) the sampler"""
    is_main: Arg = NO_ARG
    """flag by which a save limits itself to the main process"""
    methods_collective: tuple[str, ...] = ()
    """(wrappers) what is collective on the returned or constructed object"""
    wraps: Wraps = ""
    """(wrappers) how the model is trained: `ddp`, whole on each rank; `fsdp`, flat parameters in parts on the ranks;
    `fully_shard`, each parameter in parts, of the module itself; `deepspeed`, as its settings say; `prepare`, as the
    object says that prepares it
    """
    unwrap_attr: str = ""
    """(wrappers) attribute that gives the unwrapped module, whose calls are local"""
    blocking: str = ""
    """`host`: the CPU waits for the peers; `backend`: waits on CPU backends, is stream-ordered on CUDA (a missing peer
    shows up at the next synchronisation); `none`: returns at once
    """
    uniform: str = ""
    """where a value equal on all ranks of the group ends up: `return`, `arg:N`, or `none` (result is rank-dependent)"""
    uniform_arg: str = ""
    """the name of that argument, where `uniform` is `arg:N`"""
    gives: tuple[str, ...] = ()
    """(rank sources, inits) the parts of the tuple that it returns: `global`, `local` or `node` (the rank), `world`
    (how many processes there are), `local_world` (how many of them on the node); (rank predicates) `local` where it
    is true of the first process of each node although its name does not say so, of the first of all where `when`
    does not hold
    """
    since: str = ""
    """first version that has it. In `torch.toml`, no `since` means 1.13 or earlier; the releases 1.13 to 2.12 and 2.13
    were compared
    """
    until: str = ""
    """last version that has it"""
    before: str = ""
    """the row holds in versions before this one of its package"""
    from_then: str = ""
    """in a project that demands the version `before` or a later, the value is this number"""
    later: str = ""
    """with this argument (`on_step=False`) it communicates later, at the end of an epoch"""
    alone: str = ""
    """(inits) with this value of the argument `alone_arg` (`backend="fake"`) the process has no others: it only
    pretends to communicate
    """
    alone_by: Arg = NO_ARG
    """the argument that `alone` is a value of"""
    checked: str = ""
    """`body` or `signature`, see above"""
    verified: bool = True
    """present and `false` when only recalled"""
    effect: str = ""
    """what it does to files, see below"""
    begun_by: str = ""
    """what each process has to call before, or it raises"""
    path: Arg = NO_ARG
    """the path that is acted upon; `path_arg = "self"` is the receiver"""
    pattern: Arg = NO_ARG
    """what is listed of the folder (`folder.glob("*.pt")`)"""
    target: Arg = NO_ARG
    """where a `copy`, `move`, `link` or unpacking puts it; `"self"` as above"""
    mode: Arg = NO_ARG
    """file mode, which then decides the effect: `w`, `x` write, `a` and `+` append, else read"""
    mode_default: str = ""
    """the mode where none is given"""
    unless: str = ""
    """no effect with this argument (`source=local`, `append=True`)"""
    behind: str = ""
    """with this argument it goes on in the background (`blocking=False`): nobody waits for it"""
    if_: Arg = NO_ARG
    """the effect takes place only when this argument is true (`download=True`)"""
    exist_ok: Arg = NO_ARG
    """flag with which nothing is raised where it is there already"""
    missing_ok_by: Arg = NO_ARG
    """flag with which nothing is raised where it is not there"""
    ignore_errors: Arg = NO_ARG
    """flag with which nothing is raised at all"""
    read_only: Arg = NO_ARG
    """with this true nothing is written"""
    handle: Arg = NO_ARG
    """an open file that is written or read instead of a path"""
    missing_ok: bool = False
    """nothing is raised where the path is not there: there is nothing in it (`glob`)"""
    atomic: bool = False
    """several processes may do it at once: a lock, or a temporary name and a rename"""
    slow: bool = False
    """often takes many minutes (a whole repository or data set, a conversion; not a single file)"""
    small: bool = False
    """what is written is a text or some settings, or a file is copied as it is"""

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
        if not self.mode:
            return self.effect
        letters = (mode or self.mode_default).partition(":")[0].partition("|")[0]
        if "w" in letters or "x" in letters:
            return "write"
        return "append" if "a" in letters or "+" in letters else "read"


PREFIXES = {
    name: {"alone_by": "alone", "missing_ok_by": "missing_ok"}.get(name, name.rstrip("_"))
    for name, kind in Api.__annotations__.items()
    if kind == Arg.__name__
}
"""The arguments that rows have, and how the names of their two fields begin."""


def api(name: str, framework: str, fields: Mapping[str, Any]) -> Api:
    """The row of these fields, two of them for each argument."""
    rest = dict(fields)
    args: dict[str, Any] = {
        own: Arg(rest.pop(f"{prefix}_arg", ""), rest.pop(f"{prefix}_pos", None))
        for own, prefix in PREFIXES.items()
        if f"{prefix}_arg" in rest or f"{prefix}_pos" in rest
    }
    return Api(name, framework=framework, **args, **rest)


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
    things are taken, or which of them. ``asks_for``: it asks whether what it is given is of this class. ``known`` is
    what it always is.
    """

    name: str
    varying: Literal["", "clock", "random", "filesystem", "data", "host", "load"] = ""
    uniform: bool = False
    at_least: int | None = None
    named: bool = False
    order: bool = False
    asks_for: str = ""
    known: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A call that gives parsed arguments back as objects of classes that it was told of.

    ``of_arg`` and ``of_pos``: the argument with the classes, of the call, or of what made the parser (``made``).
    ``gives`` one object, or a tuple with one of each class; ``rest``, the flag with which what is left comes last.
    An ``option``: what the parser parses afterwards has the object as the attribute that ``under_arg`` and
    ``under_pos`` name. ``itself``: the object whose method it is, or that is made; ``then``, its method that is called
    when its fields are filled.
    """

    of_arg: str = ""
    of_pos: int = -1
    gives: Literal["each", "itself", "one", "option"] = "one"
    made: bool = False
    rest: str = ""
    under_arg: str = ""
    under_pos: int = -1
    then: str = ""

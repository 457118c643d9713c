"""What calls that leave the project do, by the rows of the knowledge tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ddplint.knowledge import tables

if TYPE_CHECKING:
    from ddplint.knowledge import Knowledge
    from ddplint.knowledge.rows import Api
    from ddplint.project.index.records import Call


BEGINS = "begins a run of several processes"
CHANGES = "changes what is trained"
CHOOSES = "uses parts of itself on a condition"
COMMUNICATES = "communicates"
FILES = "touches files"
LOOKS = "looks at files"
RANK = "asks for the rank"
LOCAL = "has what each rank has for itself"
DRAWS = "draws a name for itself"
ORDERS = "draws an order"
CLOCK = "asks the clock"
SEEDS = "seeds random numbers"
PARTS = "takes what lies on this rank"
ENDS = "ends or raises"
WRAPS = "wraps a model"
LOADERS = "makes loaders"
LASTS = "may take minutes"
LAUNCHES = "starts processes"
REGISTERS = "runs files for what they register"
LEARNS = "computes gradients"
SPAWNS = "starts the ranks of a run"
MEETS = "meets other ranks"
"""Communicates, or wraps a model, otherwise than by an object that is made alike where there is one process alone."""
STATE = "changes state"

_ROLES = {
    **dict.fromkeys(
        "collective init teardown point_to_point save_all_ranks main_first_context join_context sanitizer wait "
        "returns_collective group_factory runs_hooks registers_hook".split(),
        COMMUNICATES,
    ),
    **dict.fromkeys("rank_source rank_predicate rank_zero_decorator rank_zero_context share_context".split(), RANK),
    **dict.fromkeys(("save_rank0", "save_any"), FILES),
    **dict.fromkeys(("loader", "sampler"), LOADERS),
    **dict.fromkeys(("launcher", "starts_process", "starts_ranks"), LAUNCHES),
    **dict.fromkeys(("seeds_device", "seeds_numpy", "seeds_python", "seeds_torch"), SEEDS),
    **dict.fromkeys(("reorders", "splits"), ORDERS),
    "clips": CHANGES,
    "training_step": LEARNS,
    "wrapper": WRAPS,
    "timer": LASTS,
    "slow_rank0_work": LASTS,
    "no_sync_context": COMMUNICATES,
    "state_dict_context": COMMUNICATES,
    "timeout_setter": COMMUNICATES,
}
IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__"})
"""What imports a module by a text."""
_WITH_OTHERS = frozenset({COMMUNICATES, WRAPS})
_LOOKING = frozenset({"read", "exists", "list"})
_ENDING = frozenset({"sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"})
_GRADIENTS = "backward"
"""The method of tensors that computes gradients, which is called on what nobody can tell the class of."""


def called(knowledge: Knowledge, name: str, call: Call | None = None) -> Iterator[str]:
    """The effects of calling something by its full name."""
    row = knowledge.lookup(name)
    if row is not None:
        yield from _of_row(row, call)
    yield from _of_value(knowledge, name)
    if name in _ENDING:
        yield ENDS
    if _makes_optimizer(name):
        yield CHANGES


def _makes_optimizer(name: str) -> bool:
    """Whether it is the class of what changes the weights that it is given, or of what sets its rate."""
    made = tables.begins("optimizers", name) or tables.begins("schedulers", name)
    return made and name.rpartition(".")[2][:1].isupper()


def named(knowledge: Knowledge, method: str, call: Call | None = None) -> Iterator[str]:
    """The effects of a method so distinctive that it is known whatever the object."""
    row = knowledge.any_method(method) or knowledge.distinctive(method)
    if row is not None:
        yield from _of_row(row, call)
    if method == _GRADIENTS:
        yield LEARNS
    if method in knowledge.quiet("own_shards"):
        yield PARTS


def _of_row(row: Api, call: Call | None) -> Iterator[str]:
    for role in row.roles:
        if role in _ROLES:
            yield _ROLES[role]
            if _ROLES[role] in _WITH_OTHERS and (role, row.form) != ("init", "class") and not _is_also_alone(row):
                yield MEETS
        if role in ("init", "launcher"):
            yield BEGINS
        if role in ("launcher", "starts_ranks"):
            yield SPAWNS
    effect = row.effect_of(_mode(row, call)) if row.effect else ""
    if effect == "process":
        yield LAUNCHES
    if effect == "tempname":
        yield DRAWS
    if effect:
        yield LOOKS if effect in _LOOKING else FILES
    if row.slow or effect == "download":
        yield LASTS


def _is_also_alone(row: Api) -> bool:
    """Whether it is an object with which one process alone trains in the same words, or a method of one."""
    return not {row.name, row.name.rpartition(".")[0]}.isdisjoint(tables.names("trains_alone"))


def _mode(row: Api, call: Call | None) -> str | None:
    """The file mode that a call gives; ``w`` where it gives one that is not written there."""
    if call is None or not row.mode:
        return None
    given = next((words for name, words in call.named if name == row.mode.name), None)
    if given is None and row.mode.position is not None and row.mode.position < len(call.given):
        given = call.given[row.mode.position]
    if given is None:
        return None
    return given[1:] if given.startswith("'") else "w"


def _of_value(knowledge: Knowledge, name: str) -> Iterator[str]:
    value = knowledge.value(name)
    if value is not None and value.varying:
        yield LOCAL
        if value.order:
            yield ORDERS
        if value.varying == "clock":
            yield CLOCK
        if value.named and not _is_time(name):
            yield DRAWS


@lru_cache(maxsize=256)
def _is_time(name: str) -> bool:
    """Whether it gives a moment as a number, which nothing is named after."""
    return name.rpartition(".")[2] in ("time", "time_ns") or "counter" in name or "monotonic" in name


def variable(knowledge: Knowledge, name: str) -> Iterator[str]:
    """The effects of asking for a variable of the environment; one whose name is not written there may be any."""
    row = knowledge.env(name) if name else None
    if not name or (row is not None and row.rank):
        yield RANK

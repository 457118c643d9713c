"""What the rules about files share: which path a call touches, on which ranks, and whether they all run this code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ddplint.fixing.code.site import Site
from ddplint.knowledge.vocabulary import knows_of_ranks, says_ranks
from ddplint.rule import (
    Const,
    Either,
    Event,
    External,
    Function,
    Guard,
    Instance,
    Note,
    Object,
    PerRank,
    Place,
    Reason,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Varying,
    Walk,
)
from ddplint_rules.common.alone import may_be_skipped
from ddplint_rules.common.memo import kept

if TYPE_CHECKING:
    from ddplint.source.file import SourceFile

NOT_FILES = ("io.BytesIO", "io.StringIO", "io.TextIOWrapper", "tempfile.")
"""Objects that stand where a path may stand: memory, and files whose opening was an event of its own."""

_NO_PATHS = frozenset({"os.devnull", "sys.stdout", "sys.stderr"})

NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "nul"})

_IDENTITY = re.compile(
    r"membership|(?<![a-z])ranks?(?![a-z])|shard|replica|hostname|(?<![a-z])pid(?![a-z])|coordinator"
    r"|(is|am|on)_?(the_)?(main|master|chief|primary|leader|zero|first|root|writer|rank)"
    r"|(main|master|chief|primary|first|root)_?(process|proc|node|worker|task|host)"
    r"|should_?(save|write|log)|(process|proc|worker|node|host|stage)_?(index|idx|id|num)(?![a-z])"
)
"""Names of unknown things that may say who the process is: a rank inside a group, a worker, a main flag."""

_PARALLEL = re.compile(
    r"mesh|distributed|launcher|(?<![a-z])ddp|parallel|multi_?(gpu|node)|world_?size|n(um)?_?(gpus?|procs|devices)"
    r"|n(um)?_?proc(ess(es)?)?_per_|(?<![a-z])gpus(?![a-z])"
)
"""Names of what makes a run a parallel one."""

_SEVERAL = 2
_NEAR = 8
_SHARED_OUT = frozenset({"%", "/", "//"})
"""The least count of processes, or of devices, that is a parallel run."""

_NONE = (None, 0, 1, "", "none", "None", "no", "off", "single")
"""What options of a parallel run are set to where it is none."""

_BEGINS = re.compile(r"distributed\.initialize|process_(?:index|count)\b")
"""What programs of jax ask or begin that run on several hosts."""

_RANKS = re.compile(r"rank\b|is_(?:local_)?main_process|process_index|world_size|num_processes|wait_for_everyone")
"""How a method asks which process it is in, or how many there are."""

_BY_DATA = re.compile(r"get_data_parallel_rank$|get_dp_rank$|^one_of_each_part$")
"""Calls that give the rank among those that hold the same part of a model; of those they know, the tables say so."""

_WHO = re.compile(r"rank|main|process|zero|master|chief|primary|procid|ordinal|gpu|device")
"""Where a rank comes from, in the words of a provenance."""

_TOGETHER = frozenset({"collective", "construct", "save_all_ranks", "sampler"})
"""Effects that only code has which several ranks run together."""

_IF_SHARDED = re.compile(r"FSDP|ZeRO|DeepSpeed|shard|synced_gpus", re.IGNORECASE)
"""What the tables say of operations that a model on one device does alone."""

_MAY_BEGIN = re.compile(r"init|set_?up|dist|ddp|launch|accelerat|fabric|runtime|environment|prepare|start")
"""Names of what the walk could not follow that may make the process group."""

_NEED_A_GROUP = frozenset({"DistributedDataParallel", "FullyShardedDataParallel"})

_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
_TESTS = re.compile(r"^[ \t]*(?:async[ \t]+)?def test_|^(?:import|from)[ \t]+(?:pytest|unittest)\b", re.MULTILINE)
"""Names of files of tests, and what is in them: a test runner runs them in one process."""

_ALSO_ALONE = frozenset(
    {"composer", "detectron2", "fairseq", "ignite", "mmcv", "mmengine", "speechbrain", "timm", "torchmetrics"}
)
"""Frameworks whose collectives do nothing in a process that has no group."""

LOCAL_FIRST = frozenset({0, 2})
"""The first ranks of the two imagined nodes."""

ALIKE = (LOCAL_FIRST, frozenset({1, 3}))
"""Ranks that have the same local rank."""


def target_of(event: Event) -> Value | None:
    """The path that a call writes, creates, removes or moves; ``None`` where it is not known or not a file."""
    path = event.details.get("target") or event.details.get("path")
    return path if is_path(path) else None


def is_path(value: Value | None) -> bool:
    """Whether a value may be a path in the file system."""
    if value is None or isinstance(value, Function):
        return False
    if isinstance(value, Const):
        return isinstance(value.value, str) and value.value.lower() not in NOWHERE
    if isinstance(value, External):
        return value.name not in _NO_PATHS
    return not isinstance(value, Object) or not value.name.startswith(NOT_FILES)


def same_for_all(value: Value | None, *, clock: bool = False, disk: bool = False) -> bool:
    """Whether a value is surely equal on all ranks: nothing in it names the rank or was seen by a rank alone.

    With ``clock`` the time may be in it, which ranks that run in step read alike more often than not; with ``disk``
    what they found on a disk.
    """
    if isinstance(value, (Either, Tuple, Object)):
        return all(same_for_all(part, clock=clock, disk=disk) for part in _inner(value))
    if isinstance(value, Varying):
        alike = (clock and value.reason is Reason.CLOCK) or (disk and value.reason is Reason.FILESYSTEM)
        return alike and not _names_a_part(value.symbol.key)
    if isinstance(value, Unknown):
        return not _names_a_part(value.symbol.key)
    return value is not None and not isinstance(value, PerRank)


def _names_a_part(key: tuple[object, ...]) -> bool:
    """Whether a symbol may hold who the process is, in a way that the walk could not follow."""
    return mentions(key, _IDENTITY)


def is_about_ranks(key: tuple[object, ...]) -> bool:
    """Whether a condition may ask who the process is, or whether there are others."""
    return mentions(key, _IDENTITY, texts=True) or mentions(key, _PARALLEL)


def mentions(key: tuple[object, ...], words: re.Pattern[str], *, texts: bool = False, depth: int = 24) -> bool:
    """Whether a name in a symbol (with ``texts`` also a text in it) matches, or the symbol is too deep to tell.

    What all ranks have agreed on is about none of them.
    """
    if key[:1] == ("agreed",):
        return False
    return depth == 0 or any(_mentioned(part, words, texts, depth) for part in key)


def said_by(what: object) -> tuple[object, ...]:
    """What a symbol is made of, also where it was too large to be kept as an expression; nothing for other things."""
    key = getattr(what, "key", ())
    if not isinstance(key, tuple):
        return ()
    return getattr(what, "made_of", key) if key[:1] == ("big",) else key


def _mentioned(part: object, words: re.Pattern[str], texts: bool, depth: int) -> bool:
    if isinstance(part, (PerRank, Varying)):
        return True
    what = getattr(part, "symbol", part)
    if isinstance(what, Symbol) and said_by(what):
        return _symbol_mentions(what, words, texts, depth - 1)
    if inner := said_by(what):
        return mentions(inner, words, texts=texts, depth=depth - 1)
    if isinstance(part, Object) and _is_loader(part.name):
        return False  # how long it is, say: prepared loaders are as long everywhere
    part = getattr(part, "function", part)  # of a method, or of an attribute that no table knows
    name = part if isinstance(part, str) else getattr(part, "name", "")
    if texts and isinstance(part, Const):
        name = part.value
    return isinstance(name, str) and words.search(name.lower()) is not None


def _is_loader(name: str) -> bool:
    from ddplint.knowledge import load_knowledge

    row = load_knowledge().lookup(name)
    return row is not None and row.kind == "loader"


@kept
def _symbol_mentions(what: Symbol, words: re.Pattern[str], texts: bool, depth: int) -> bool:
    return mentions(said_by(what), words, texts=texts, depth=depth)


def agree(first: Mapping[Any, bool], second: Mapping[Any, bool]) -> bool:
    """Whether two places may be reached in one run: no unknown is taken to be true here and false there."""
    return all(second.get(what, known) == known for what, known in first.items())


def alone_by_choice(event: Event) -> bool:
    """Whether the program comes here because it was told that no run is parallel: no mesh, ``distributed`` off."""
    return any(_tells_alone(what, known) for what, known in event.together.items() if not what.parts_ranks)


@kept
def _tells_alone(what: Symbol, known: bool) -> bool:
    key = said_by(what)
    return _is_switch(key) and _says_no(key, known)


def _is_switch(key: tuple[object, ...], depth: int = _NEAR) -> bool:
    """Whether a question is about something named after parallel runs.

    What has to do with them far off is not: what remains of a batch that the ranks have shared is no number of ranks.
    """
    if key[:1] == ("op",) and key[1] in _SHARED_OUT:
        return False
    for part in key:
        inner = said_by(getattr(part, "symbol", part))
        if inner:
            if depth and _is_switch(inner, depth - 1):
                return True
        elif _mentioned(part, _PARALLEL, False, 1):
            return True
    return False


def _says_no(key: tuple[object, ...], known: bool) -> bool:
    if key[0] == "not" and (inner := said_by(key[1])):
        return _says_no(inner, not known)
    if key[0] in ("or", "and") and not known:
        parts = (said_by(part) for part in key[1:])
        return any(_says_no(part, known) for part in parts if part and _is_switch(part))
    if key[0] == "is" or key[:2] == ("op", "=="):
        value = key[-1].value if isinstance(key[-1], Const) else True
        return known and value is not True and value in _NONE
    if key[:2] == ("op", "<"):
        return _at_most_one(key[2], key[3], known)
    return not known


def _at_most_one(low: object, high: object, known: bool) -> bool:
    """Whether ``low < high`` leaves no count but one: ``n < 2`` does, and ``1 < n`` where it is false."""
    bound = low if isinstance(low, Const) else high
    if not isinstance(bound, Const) or not isinstance(bound.value, (int, float)):
        return not known
    if bound.value != int(bound.value):
        return False  # no bound of a count
    if bound is high:
        return known and bound.value <= _SEVERAL
    return not known and bound.value < _SEVERAL


def run_together(walk: Walk, event: Event) -> bool:
    """Whether several ranks surely run the code around an event: on its path they build a group, or meet.

    Functions inside functions that nothing calls (handlers, callbacks) run when and where nobody knows.
    """
    if is_apart(walk, event):
        return False
    if (walk.hook == "all" and _speaks_of_ranks(walk)) or _is_of_ranks(walk, event):
        return True
    return any(agree(path, event.together) for path in joint_paths(walk))


@kept
def joint_paths(walk: Walk) -> list[Mapping[Any, bool]]:
    """The paths to what only several ranks do together."""
    signs = signs_of(walk)
    if walk.entry == "<module>" and (all(map(_needs_a_group, signs)) or _is_for_one(walk)):
        return []  # a whole program that makes no group, and would need one if it were told so
    return list({id(other.path): other.path for other in signs}.values())


@kept
def signs_of(walk: Walk) -> list[Event]:
    """What only several ranks do together: how they begin the distributed run, else how they meet or part in it."""
    starts = [other for other in walk.events if other.effect == "init" and not _is_looked_at(walk, other)]
    signs = [other for other in starts or walk.events if _is_joint(walk, other) and not _works_alone(walk, other)]
    return [sign for sign in signs if not sign.alone]


def _needs_a_group(sign: Event) -> bool:
    """Whether it is an operation of torch's own, behind an option: it raises where nobody has made a group.

    A sampler of the project need not: it divides by the number of processes there are.
    """
    if sign.effect == "sampler":
        return sign.api is None
    plain = sign.api is None or sign.api.framework == "torch"
    return sign.effect == "collective" and plain and (bool(sign.path) or may_be_skipped(sign))


@kept
def _is_for_one(walk: Walk) -> bool:
    """Whether a whole program wraps its model where it has made no group, which raises but for one process.

    What nobody could follow before may have made the group.
    """
    for event in walk.events:
        if event.effect in ("init", "launch") or (event.effect == "opaque" and _MAY_BEGIN.search(event.name.lower())):
            return False
        if _raises_alone(event):
            return True
    return False


def _raises_alone(event: Event) -> bool:
    """Whether torch's own wrapper is made, which is an error where there is no group."""
    plain = event.api is not None and event.api.framework == "torch"
    return plain and event.effect == "construct" and event.name.rpartition(".")[2] in _NEED_A_GROUP


def _is_of_ranks(walk: Walk, event: Event) -> bool:
    """Whether a method asks for ranks whose object began the distributed run when it was made."""
    if not any(_is_joint(walk, start) for start in walk.begun):
        return False
    own = event.stack[:2][-1]
    function = Site(own.file, own.node).function
    return function is not None and _RANKS.search(walk.file.module.code_for_node(function)) is not None


def names_ranks(code: str) -> bool:
    """Whether code has a word that may ask who the process is."""
    return says_ranks(code) or _RANKS.search(code) is not None or _IDENTITY.search(code.lower()) is not None


@kept
def _speaks_of_ranks(walk: Walk) -> bool:
    """Whether a framework's hook is for several ranks: by its file, one beside it, a user of it, or what it calls."""
    if walk.among_many or any(map(knows_of_ranks, (walk.file, *walk.company))):
        return True
    return any(_asks_who(guard) for event in walk.events for guard in event.guards)


def asks_beside(walk: Walk, event: Event) -> bool:
    """Whether the code around an event itself asks who the process is, and so is there for several."""
    return not is_apart(walk, event) and any(guard.file is event.file and _asks_who(guard) for guard in event.guards)


def is_apart(walk: Walk, event: Event) -> bool:
    """Whether a place is one that ranks do not come to together, whatever the program else does."""
    if walk.is_of_one or walk.uncalled or event.alone or is_test(walk.file):
        return True
    if _is_escaped(walk, event) or alone_by_choice(event) or not _inside_launch(walk, event):
        return True
    return any(_ends_all(refused, event) for refused in _refused(walk))


@kept
def _refused(walk: Walk) -> list[Event]:
    """Where all ranks call a method that a wrapper does not have, and raise."""
    return [event for event in walk.events if event.effect == "lacking" and event.ranks == event.everyone]


def _ends_all(refused: Event, event: Event) -> bool:
    """Whether a run of several processes that comes to an event ends in an error of the program, before or after.

    So nobody can have meant it to be run by several: an error that an option alone leads to says nothing of others.
    """
    return refused.path.items() <= event.path.items()


def is_test(file: SourceFile) -> bool:
    """Whether a test runner calls the code, in one process."""
    return _TEST.search(file.path) is not None and _TESTS.search(file.text) is not None


def _is_looked_at(walk: Walk, event: Event) -> bool:
    """Whether a library of the program only looks at the state that a framework shares, in one process as in many."""
    return event.name.endswith("State") and all(frame.file is not walk.file for frame in event.stack[-2:])


def _is_alone(event: Event) -> bool:
    """Whether a framework was told to use one device."""
    devices, nodes = event.kwargs.get("devices"), event.kwargs.get("num_nodes")
    one = isinstance(devices, Const) and devices.value in (1, "1")
    return one and (nodes is None or (isinstance(nodes, Const) and nodes.value == 1))


def _is_escaped(walk: Walk, event: Event) -> bool:
    """Whether the call stack begins in another function than the walk does; making the object counts as beginning."""
    first, *rest = event.stack
    if rest and rest[0].function in walk.handlers:
        return False
    if first.function == walk.entry or not rest:
        return first.function != walk.entry
    return rest[0].function != walk.entry and not rest[0].function.endswith(".__init__")


def _works_alone(walk: Walk, event: Event) -> bool:
    """Whether a whole script calls a collective that goes through where nobody has built a group."""
    alone = event.api is not None and event.api.framework in _ALSO_ALONE
    if walk.entry != "<module>" or event.effect != "collective" or not alone:
        return False
    return not any(_under(launch, event) for launch in walk.events if launch.effect == "launch")


def _is_joint(walk: Walk, event: Event) -> bool:
    """Whether only code that several ranks run together does this; what a library does inside is its own affair."""
    if event.effect == "init":
        return not _is_alone(event) and not _is_looked_at(walk, event)
    if any(_is_in(walk.file, guard) and _asks_who(guard) for guard in event.guards):
        return True
    if all(frame.file is not walk.file for frame in event.stack[-2:]):
        return False
    if event.api is not None and event.api.compiles and not _begins_together(walk.file):
        return False
    if event.effect == "sampler" and not (_divides(event) if event.api is None else _takes_a_rank(event)):
        return False
    if event.effect in _TOGETHER and (event.ranks == event.everyone or any(map(_asks_who, event.guards))):
        sharded = event.api is not None and _IF_SHARDED.search(event.api.when) is not None
        return not is_given(event, "no_dist", None) and not sharded
    if isinstance(event.details.get("path"), PerRank):
        return True
    return event.effect in ("forward", "backward") and event.details.get("wrapped") is not None


def _begins_together(file: SourceFile) -> bool:
    """Whether a file that has functions compiled names what begins or counts a run of several processes."""
    return knows_of_ranks(file) or _BEGINS.search(file.text) is not None


def _is_in(file: SourceFile, guard: Guard) -> bool:
    """Whether it is in a file that ranks part: a decorator of another file's function says nothing of who calls it."""
    asked = guard.kind != "decorator" or any(origin.file is file for origin in guard.origins)
    return guard.file is file and asked


def _takes_a_rank(event: Event) -> bool:
    """Whether a library's share may be that of a rank: the number of a round of a loop is none."""
    row = event.api
    if row is None or not row.rank_arg:
        return True
    number = event.kwargs.get(row.rank_arg)
    if number is None and row.rank_pos is not None and row.rank_pos < len(event.args):
        number = event.args[row.rank_pos]
    return not isinstance(number, Unknown) or not number.symbol.counters


def _divides(event: Event) -> bool:
    """Whether a sampler of the project gives each rank its part: it is told of ranks, or its class speaks of them."""
    made = event.result
    if not isinstance(made, Instance) or any(name in ("rank", "num_replicas") for name in event.kwargs):
        return True
    return says_ranks(made.cls.module.file.module.code_for_node(made.cls.node))


def _asks_who(guard: Guard) -> bool:
    """Whether a guard parts the ranks by who they are, as its provenance says."""
    return guard.reason is Reason.IDENTITY and any(_WHO.search(origin.text.lower()) for origin in guard.origins)


def _inside_launch(walk: Walk, event: Event) -> bool:
    """False for what the parent does that starts the processes of the ranks."""
    inside = _followed_launches(walk)
    return not inside or any(_under(launch, event) for launch in inside)


@kept
def _followed_launches(walk: Walk) -> list[Event]:
    launches = [other for other in walk.events if other.effect == "launch"]
    return [launch for launch in launches if any(_under(launch, other) for other in walk.events)]


def _under(launch: Event, event: Event) -> bool:
    return event is not launch and any(frame.node is launch.node for frame in event.stack)


def depends_on_a_part(event: Event) -> bool:
    """Whether a condition that the walk could not follow may say which ranks come to the event.

    A variable of the environment that is not set is not set anywhere.
    """
    asked = (what for what, known in event.path.items() if known or what.key[0] != "environment")
    return any(map(_names_identity, asked))


@kept
def _names_identity(what: Symbol) -> bool:
    return mentions(said_by(what), _IDENTITY, texts=True)


def one_of_each_part(event: Event) -> bool:
    """Whether the way to an event asks for the first rank of each data-parallel group, and for nothing else.

    Where a model is split over several ranks, as many come there as it has parts.
    """
    asked = [(what, known) for what, known in event.path.items() if _names_identity(what)]
    names = {name for what, _ in asked for name in _memberships(what)}
    return bool(names) and all(known for _, known in asked) and all(map(_BY_DATA.search, names))


def _memberships(what: object, depth: int = 8) -> Iterator[str]:
    """The calls that give the ranks within groups which a condition is about; other names of ranks as they are."""
    key = getattr(getattr(what, "symbol", what), "key", ())
    if isinstance(key, tuple) and key[:1] == ("membership",):
        yield "one_of_each_part" if "one_of_each_part" in key else "membership"
        return
    for part in key if depth and isinstance(key, tuple) else ():
        if isinstance(part, str) and _IDENTITY.search(part.lower()):
            yield part
        elif not isinstance(part, str):
            yield from _memberships(part, depth - 1)


def parts(value: Value | None) -> Iterator[Value]:
    """A value and what it is made of."""
    if value is not None:
        yield value
        for part in _inner(value):
            yield from parts(part)


def _inner(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Either):
        return (value.yes, value.no)
    if isinstance(value, PerRank):
        return value.values
    if isinstance(value, Tuple):
        return value.items
    return value.args if isinstance(value, Object) else ()


def differing(values: Iterable[Value]) -> PerRank | Varying | None:
    """The first of the values that differs between ranks."""
    return next((part for value in values for part in parts(value) if isinstance(part, (PerRank, Varying))), None)


def came_from(value: PerRank | Varying, text: str) -> Iterator[Note]:
    """Notes on where a value that differs between ranks comes from; the last one says ``text``."""
    links = value.trail.links() if value.trail is not None else ()
    for origin in links:
        yield Note("origin", Place(origin.file, origin.node), origin.text or text)


def led_here(event: Event) -> Iterator[Note]:
    """Notes on the calls that lead to an event."""
    for frame in event.stack[:-1]:
        yield Note("caller", Place(frame.file, frame.node), frame.function)


def place_and_caller(event: Event) -> tuple[int, int]:
    """What tells findings apart: where it happens, and the last call on the way there from another file.

    A helper that two calls of one file lead to is wrong at both, where it is the calls that are told.
    """
    outside = (frame for frame in reversed(event.stack) if frame.file is not event.file)
    caller = next(outside, None)
    return id(event.node), id(caller.node) if caller is not None else 0


def is_given(event: Event, name: str, position: int | None) -> bool:
    """Whether an argument was given and may be true."""
    value = event.kwargs.get(name)
    if value is None and position is not None and position < len(event.args):
        value = event.args[position]
    return value is not None and not (isinstance(value, Const) and not value.value)


def callee(event: Event) -> str:
    """What is called, as the file says it: ``torch.save``, ``self.tokenizer.save_pretrained``."""
    function = getattr(event.node, "func", None)
    if function is None:
        return event.label
    text = " ".join(event.file.module.code_for_node(function).split())
    return text if len(text) <= 40 else f"…{text.rpartition('.')[2]}"


def by_some(event: Event) -> bool:
    """Whether only some ranks do it, because of who they are."""
    return event.ranks != event.everyone and any(guard.reason is Reason.IDENTITY for guard in event.guards)


def side_by_side(walk: Walk, first: Event, second: Event) -> bool:
    """Whether two events lie in walks of the same code by ranks that parted before it.

    Then ``first`` (of one side) does not come before ``second`` (of the other) just because it was walked before it.
    """
    parted = {id(guard.node) for guard in first.guards if guard.reason is Reason.IDENTITY}
    if not any(id(guard.node) in parted for guard in second.guards):
        return False
    return any(other.node is second.node and other.ranks & first.ranks for other in walk.events)

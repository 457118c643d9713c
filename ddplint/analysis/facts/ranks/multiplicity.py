"""How many ranks do something: all, one of each part, or one alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.origins import Guard, GuardKind, Reason
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Instance, PerRank, Unknown, Varying
from ddplint.analysis.facts.files.commands import starts_ranks
from ddplint.analysis.facts.ranks.written_down import written_out
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.fixing.code.site import Site
from ddplint.knowledge import Arg, guesses, rank_words, tables
from ddplint.project.pool import is_named_test
from ddplint.source.ancestry import nodes_of, tree_of
from ddplint.source.calls import called, calls_in
from ddplint.source.file import SourceFile
from ddplint.source.tree import dotted
from ddplint.source.words import says, words_in, words_of
from ddplint.util import figures
from ddplint.util.kept import kept

_SEVERAL = 2
_NEAR = 8
_SHARED_OUT = frozenset({"%", "/", "//"})
"""The least count of processes, or of devices, that is a parallel run."""

_NONE = (None, 0, 1, "", "none", "None", "no", "off", "single")
"""What options of a parallel run are set to where it is none."""

_HOSTS = frozenset({"process_index", "process_count"})
"""What programs of jax ask that run on several hosts."""

_TOGETHER = frozenset({Effect.COLLECTIVE, Effect.CONSTRUCT, Effect.SAVE_ALL_RANKS, Effect.SAMPLER})
"""Effects that only code has which several ranks run together."""

_IF_SHARDED = ("fsdp", "zero", "deepspeed", "shard", "synced_gpus")
"""What the tables say of operations that a model on one device does alone."""

_TESTING = ("pytest", "unittest")

LOCAL_FIRST = frozenset({0, 2})
"""The first ranks of the two imagined nodes."""

LOCAL_SECOND = frozenset({1, 3})
"""The ranks of the two imagined nodes that are not the first there: in real life several each."""


def alone_by_choice(event: Event) -> bool:
    """Whether the program comes here because it was told that no run is parallel: no mesh, ``distributed`` off."""
    return any(_tells_alone(what, known) for what, known in event.together.items() if not what.rank_dependent)


@kept
def _tells_alone(what: Symbol, known: bool) -> bool:
    return _is_switch(what) and _says_no(what.whole, known)


def _is_switch(what: Symbol, depth: int = _NEAR) -> bool:
    """Whether a question is about something named after parallel runs.

    What has to do with them far off is not: what remains of a batch that the ranks have shared is no number of ranks.
    Nor is what class an object is of, nor a value that each rank has for itself.
    """
    asked = what.whole
    if isinstance(asked, terms.TypeTest) or (isinstance(asked, terms.Operation) and asked.sign in _SHARED_OUT):
        return False
    for part in asked.content:
        if isinstance(part, (PerRank, Varying)):
            continue
        inner = terms.term_of(part)
        if inner is not None:
            if depth and _is_switch(inner, depth - 1):
                return True
        elif uniformity.mentioned(part, rank_words.PARALLEL, False, 1):
            return True
    return False


def _says_no(what: Symbol, known: bool) -> bool:
    if isinstance(what, terms.Not) and isinstance(what.inner, Symbol):
        return _says_no(what.inner.whole, not known)
    if isinstance(what, terms.Junction) and not known:
        return any(_says_no(part.whole, known) for part in what.symbols if _is_switch(part))
    if isinstance(what, terms.Is) or (isinstance(what, terms.Operation) and what.sign == "=="):
        value = what.last.value if isinstance(what.last, Const) else True
        return known and value is not True and value in _NONE
    if isinstance(what, terms.Operation) and what.sign == "<":
        low, high, *_ = what.operands
        return _at_most_one(low, high, known)
    return not known


def _at_most_one(low: object, high: object, known: bool) -> bool:
    """Whether ``low < high`` leaves no count but one: ``n < 2`` does, and ``1 < n`` where it is false."""
    bound = low if isinstance(low, Const) else high
    if not isinstance(bound, Const) or not isinstance(bound.value, (int, float)):
        return not known
    if figures.whole(bound.value) is None:
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
    return any(uniformity.agree(path, event.together) for path in joint_paths(walk))


@kept
def joint_paths(walk: Walk) -> list[Mapping[Any, bool]]:
    """The paths to what only several ranks do together."""
    signs = signs_of(walk)
    if walk.is_of_a_script and (all(map(_needs_a_group, signs)) or _is_for_one(walk)):
        return []  # a whole program that makes no group, and would need one if it were told so
    return list({id(other.path): other.path for other in signs}.values())


@kept
def signs_of(walk: Walk) -> list[Event]:
    """What only several ranks do together: how they begin the distributed run, else how they meet or part in it."""
    starts = [other for other in walk.doing(Effect.INIT) if not _is_looked_at(walk, other)]
    signs = [other for other in starts or walk.events if _is_joint(walk, other) and not _works_alone(walk, other)]
    return [sign for sign in signs if not sign.alone and not written_out(sign)]


def _needs_a_group(sign: Event) -> bool:
    """Whether it is an operation of torch's own, behind an option: it raises where nobody has made a group.

    A sampler of the project need not: it divides by the number of processes there are.
    """
    if sign.effect == Effect.SAMPLER:
        return sign.api is None
    plain = sign.api is None or sign.api.framework == "torch"
    return sign.effect == Effect.COLLECTIVE and plain and (bool(sign.path) or may_be_skipped(sign))


@kept
def _is_for_one(walk: Walk) -> bool:
    """Whether a whole program wraps its model where it has made no group, which raises but for one process.

    What nobody could follow before may have made the group.
    """
    for event in walk.events:
        if event.effect in (Effect.INIT, Effect.LAUNCH) or (
            event.effect == Effect.OPAQUE and guesses.pattern("may begin").search(event.name.lower())
        ):
            return False
        if _raises_alone(event):
            return True
    return False


def _raises_alone(event: Event) -> bool:
    """Whether torch's own wrapper is made, which is an error where there is no group."""
    return event.api is not None and event.api.framework == "torch" and event.makes("ddp", "fsdp")


def _is_of_ranks(walk: Walk, event: Event) -> bool:
    """Whether a method asks for ranks whose object began the distributed run when it was made."""
    if not any(_is_joint(walk, start) for start in walk.begun):
        return False
    own = event.stack[:2][-1]
    function = Site(own.file, own.node).function
    return function is not None and says(function, rank_words.ASKS_FOR_RANKS)


@kept
def _speaks_of_ranks(walk: Walk) -> bool:
    """Whether a framework's hook is for several ranks: by its file, one beside it, a user of it, or what it calls."""
    if walk.among_many or walk.knows_of_ranks(walk.file):
        return True
    return any(_asks_who(guard) for event in walk.events for guard in event.guards)


def asks_beside(walk: Walk, event: Event) -> bool:
    """Whether the code around an event itself asks who the process is, and so is there for several."""
    return not is_apart(walk, event) and any(guard.file is event.file and _asks_who(guard) for guard in event.guards)


def is_apart(walk: Walk, event: Event) -> bool:
    """Whether a place is one that ranks do not come to together, whatever the program else does."""
    if walk.is_of_one or walk.uncalled or event.alone or is_of_one_process(walk) or is_test(walk.file):
        return True
    if _is_escaped(walk, event) or alone_by_choice(event) or not _inside_launch(walk, event):
        return True
    return _starts_jobs(walk) or any(_ends_all(refused, event) for refused in _refused(walk))


@kept
def _starts_jobs(walk: Walk) -> bool:
    """Whether a program that does nothing together starts a launcher: several of it would start as many jobs.

    Rank 0 of a job may start another one for itself, and so may a job that has come to its end.
    """
    starts = any(event.by_all and starts_ranks(event) for event in walk.doing(Effect.PROCESS))
    met = walk.doing(Effect.INIT, *_TOGETHER)
    return starts and not any(event.effect != Effect.INIT or _needs_others(event) for event in met)


def _needs_others(start: Event) -> bool:
    """Whether it makes a group, which takes processes that were started together; an object made alone as well not."""
    return start.api is None or start.api.form != "class"


@kept
def is_of_one_process(walk: Walk) -> bool:
    """Whether each group that a whole program makes is of one process, as those of conversion scripts are."""
    starts = list(walk.doing(Effect.INIT)) if walk.is_of_a_script else []
    return bool(starts) and all(start.alone for start in starts)


@kept
def _refused(walk: Walk) -> list[Event]:
    """Where all ranks call a method that a wrapper does not have, and raise."""
    return [event for event in walk.doing(Effect.LACKING) if event.by_all]


def _ends_all(refused: Event, event: Event) -> bool:
    """Whether a run of several processes that comes to an event ends in an error of the program, before or after.

    So nobody can have meant it to be run by several: an error that an option alone leads to says nothing of others.
    """
    return refused.path.items() <= event.path.items()


def is_test(file: SourceFile) -> bool:
    """Whether a test runner calls the code, in one process."""
    return is_named_test(file.path) and _holds_tests(file)


@kept
def _holds_tests(file: SourceFile) -> bool:
    """Whether a file has functions for a test runner, or imports one."""
    functions = (node.name.value for node in nodes_of(file.module, cst.FunctionDef))
    names = [dotted(alias.name) for node in nodes_of(file.module, cst.Import) for alias in node.names]
    others = nodes_of(file.module, cst.ImportFrom)
    names += [dotted(node.module) for node in others if node.module and not node.relative]
    return any(one.startswith("test_") for one in functions) or any(one.partition(".")[0] in _TESTING for one in names)


def _is_looked_at(walk: Walk, event: Event) -> bool:
    """Whether a library of the program only looks at the state that a framework shares, in one process as in many."""
    return event.name.endswith("State") and all(frame.file is not walk.file for frame in event.stack[-2:])


def _is_alone(event: Event) -> bool:
    """Whether a framework was asked to use one device."""
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
    alone = event.api is not None and event.api.framework in tables.names("also_alone")
    if not walk.is_of_a_script or event.effect != Effect.COLLECTIVE or not alone:
        return False
    return not any(_under(launch, event) for launch in walk.doing(Effect.LAUNCH))


def _is_joint(walk: Walk, event: Event) -> bool:
    """Whether only code that several ranks run together does this; what a library does inside is its own affair."""
    if event.effect == Effect.INIT:
        return not _is_alone(event) and not _is_looked_at(walk, event)
    if any(_is_in(walk.file, guard) and _asks_who(guard) for guard in event.guards):
        return True
    if all(frame.file is not walk.file for frame in event.stack[-2:]):
        return False
    if event.api is not None and event.api.compiles and not _begins_together(walk):
        return False
    if event.effect == Effect.SAMPLER and not (_divides(event) if event.api is None else _takes_a_rank(event)):
        return False
    if event.effect in _TOGETHER and (event.by_all or any(map(_asks_who, event.guards))):
        sharded = event.api is not None and any(word in event.api.when.lower() for word in _IF_SHARDED)
        return not event.has(Arg("no_dist")) and not sharded
    if isinstance(event.details.get("path"), PerRank):
        return True
    return event.effect in (Effect.FORWARD, Effect.BACKWARD) and event.details.get("wrapped") is not None


def _begins_together(walk: Walk) -> bool:
    """Whether a file that has functions compiled names what begins or counts a run of several processes."""
    file = walk.file
    if walk.knows_of_ranks(file) or not words_of(file).isdisjoint(_HOSTS):
        return True
    return any(called(one).endswith("distributed.initialize") for one in calls_in(file.module))


def _is_in(file: SourceFile, guard: Guard) -> bool:
    """Whether it is in a file that ranks part: a decorator of another file's function says nothing of who calls it."""
    asked = guard.kind is not GuardKind.DECORATOR or any(origin.file is file for origin in guard.origins)
    return guard.file is file and asked


def _takes_a_rank(event: Event) -> bool:
    """Whether a library's share may be that of a rank: the number of a round of a loop is none."""
    row = event.api
    if row is None or not row.rank.name:
        return True
    number = row.rank.of(event.args, event.kwargs)
    return not isinstance(number, Unknown) or not number.symbol.counters


def _divides(event: Event) -> bool:
    """Whether a sampler of the project gives each rank its part: it is given ranks, or its class speaks of them."""
    made = event.result
    if not isinstance(made, Instance) or any(name in ("rank", "num_replicas") for name in event.kwargs):
        return True
    return any(map(rank_words.SEVERAL_PROCESSES.fullmatch, words_in(made.cls.node)))


def _asks_who(guard: Guard) -> bool:
    """Whether a guard parts the ranks by who they are, as its provenance says."""
    texts = (origin.text.lower() for origin in guard.origins)
    return guard.reason is Reason.IDENTITY and any(map(rank_words.WHERE_RANKS_COME_FROM.search, texts))


def _inside_launch(walk: Walk, event: Event) -> bool:
    """False for what the parent does that starts the processes of the ranks."""
    inside = _followed_launches(walk)
    return not inside or any(_under(launch, event) for launch in inside)


@kept
def _followed_launches(walk: Walk) -> list[Event]:
    launches = walk.doing(Effect.LAUNCH)
    return [launch for launch in launches if any(_under(launch, other) for other in walk.events)]


def _under(launch: Event, event: Event) -> bool:
    return event is not launch and any(frame.node is launch.node for frame in event.stack)


def side_by_side(walk: Walk, first: Event, second: Event) -> bool:
    """Whether two events lie in walks of the same code by ranks that parted before it.

    Then ``first`` (of one side) does not come before ``second`` (of the other) just because it was walked before it.
    """
    parted = {id(guard.node) for guard in first.guards if guard.reason is Reason.IDENTITY}
    if not any(id(guard.node) in parted for guard in second.guards):
        return False
    return not first.ranks.isdisjoint(_ranks_at(walk).get(id(second.node), ()))


@kept
def _ranks_at(walk: Walk) -> dict[int, set[int]]:
    """The ranks that did something, by the identity of its node."""
    found: dict[int, set[int]] = {}
    for event in walk.events:
        found.setdefault(id(event.node), set()).update(event.ranks)
    return found


_ASKS = frozenset({"is_initialized", "is_available", "world_size", "get_world_size", "num_gpus", "n_gpu", "n_gpus"})
_ASKS_BY = ("is_dist", "use_dist")
"""How a helper asks whether there is anybody to talk to, and how such names begin."""


def may_be_skipped(sign: Event) -> bool:
    """Whether a function on the way to a collective asks for the group, or for the number of processes, before it."""
    return any(_asks_first(frame) for frame in sign.stack)


def _asks_first(frame: Frame) -> bool:
    tree = tree_of(frame.file.module)
    function = tree.function(frame.node) if frame.node in tree else None
    if not isinstance(function, cst.FunctionDef):
        return False
    tests = (node.test for node in tree.ancestors(frame.node) if isinstance(node, (cst.If, cst.IfExp)))
    lines = [
        line for line in function.body.body if isinstance(line, cst.If) and tree.order(line) < tree.order(frame.node)
    ]
    asked = [*tests, *(line.test for line in lines)]
    return any(word in _ASKS or word.startswith(_ASKS_BY) for test in asked for word in words_in(test))

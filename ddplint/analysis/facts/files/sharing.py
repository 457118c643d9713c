"""Which ranks change one path, under one name or several: what ``writers`` says of an event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ddplint.analysis.domain.effects import MAKES, SENDS, Effect
from ddplint.analysis.domain.origins import Guard, Reason
from ddplint.analysis.domain.values import Either, PerRank, Unknown, Value, Varying
from ddplint.analysis.facts.files import commands, elements, first_rank
from ddplint.analysis.facts.files.commands import may_be_of_one
from ddplint.analysis.facts.files.exclusive import is_claimed
from ddplint.analysis.facts.files.existence import ends_in_raise
from ddplint.analysis.facts.files.locks import under_lock
from ddplint.analysis.facts.ranks import called_from, everywhere, modes, multiplicity
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.analysis.trace.targets import is_path
from ddplint.fixing.code.site import Site
from ddplint.knowledge import guesses
from ddplint.source.tree import positional
from ddplint.util.kept import kept

_STREAMS = frozenset({"requests", "urllib"})
"""Packages whose downloads go into memory where no path is given."""

_HANDED_OUT = ("batch", "element", "output")
"""What loops and models give: what it holds is no option of the program."""

_BY_CONTRACT = frozenset({"save_any", "save_all_ranks", "log_any"})


def is_by_all(
    walk: Walk,
    event: Event,
    *,
    clock: bool = False,
    among: Sequence[Walk] = (),
    locked: bool = False,
    called: bool = False,
) -> bool:
    """Whether several ranks surely make this call, on a path that is the same for them (but for the time).

    Parameters: ``among``, the walks of the file, in which other methods may say whose the path is; ``locked``, they
    make it one after the other, under a lock; ``called``, it is enough that calls lead there from a program of several
    processes, and that all ranks find the same on a disk that they share.
    """
    known, key = _answers(walk), (id(event), clock, len(among), locked, called)
    if key not in known:
        known[key] = _is_by_all(walk, event, clock, among, locked, called)
    return known[key]


@kept
def _answers(walk: Walk) -> dict[tuple[int, bool, int, bool, bool], bool]:
    """What was found out about the events of a walk: several rules ask the same."""
    return {}


def _is_by_all(walk: Walk, event: Event, clock: bool, among: Sequence[Walk], locked: bool, called: bool) -> bool:
    if len(event.ranks) < 2 or _is_local(event.ranks, event) or event.details.get("imagined"):
        return False
    together = multiplicity.run_together(walk, event) or everywhere.is_made(walk, event, among)
    if not together and not (called and called_from.way_to(walk, event) is not None):
        return False
    if modes.is_of_another_mode(walk, event):
        return False
    if event.depends_on_a_part and not uniformity.one_of_each_part(event.path):
        return False
    if _is_own_where_together(walk, event):
        return False
    if guards_itself(event) or first_rank.is_there(walk, event) or is_claimed(walk, event):
        return False
    if under_lock(walk, event) is not locked:
        return False
    if any((guard.guess and not _only_raises(guard)) or guard.reason is Reason.EXCEPTION for guard in event.guards):
        return False
    if _is_nameless(event):
        given = first_rank.given(event)
        if event.effect == Effect.PROCESS and not _is_of_one_place(walk, event):
            return False
        disk = event.effect == Effect.TRACKER  # whatever folder the run is kept in, each rank has a run of its own
        return (
            all(uniformity.same_for_all(value, clock=clock, disk=disk) for value in given)
            and "group" not in event.kwargs
        )
    if event.effect == Effect.MOVE and _is_own(event.details.get("path")):
        return False
    if listings(walk, event):
        return True
    if not writers(event, clock=clock) and not (called and called_from.is_found_by_all(event)):
        return False
    if not is_chosen_elsewhere(walk, event, among) or _is_left_to_one_beside(among, event):
        return True
    return called and not called_from.is_in_a_loop(event) and called_from.way_to(walk, event) is not None


def _is_own_where_together(walk: Walk, event: Event) -> bool:
    """Whether what makes the program one of several ranks (``if args.index == -1:``) names the path after the rank."""
    target = event.target
    if not isinstance(target, Either):
        return False
    together = [path for path in multiplicity.joint_paths(walk) if uniformity.agree(path, event.together)]
    while isinstance(target, Either):
        known = {path.get(target.symbol) for path in together}
        if known != {True} and known != {False}:
            return False
        target = target.yes if True in known else target.no
    return not uniformity.same_for_all(target, clock=True)


def _only_raises(guard: Guard) -> bool:
    """Whether a guess is about who gets beyond a check that ends in ``raise``: the job goes on where nobody raises."""
    statement = guard.statement
    return isinstance(statement, cst.If) and statement.orelse is None and ends_in_raise(statement.body)


def _is_of_one_place(walk: Walk, event: Event) -> bool:
    """Whether a command changes the same files wherever it is called from."""
    if not commands.changes_files(event):
        return False
    return not commands.is_chosen_elsewhere(event) or bool(walk.doing(Effect.INIT))


def _is_nameless(event: Event) -> bool:
    """Whether it is done to something else than a path, or to the folder that a downloader keeps by itself."""
    if event.effect == Effect.DOWNLOAD and event.target is None:
        return event.name.partition(".")[0] not in _STREAMS
    return event.effect in SENDS


def is_chosen_elsewhere(walk: Walk, event: Event, among: Sequence[Walk] = ()) -> bool:
    """Whether the name is one that the walk cannot see, and that may differ by rank.

    What builds the process group itself is called with the same arguments on all ranks, and a path that the program
    elsewhere lets one rank write to is not the rank's own.
    """
    target = event.target
    if elements.is_one_of_many(event) or may_be_of_one(event, target, among):
        return True
    if not paths.is_given_by_caller(target) or walk.doing(Effect.INIT):
        return False
    return not _is_left_to_one(walk, event) and not _is_given_by_framework(walk, event)


def _is_given_by_framework(walk: Walk, event: Event) -> bool:
    """Whether a framework calls this on all ranks with the path or the count that names the file, not with a batch."""
    names = paths.given_names(event.target)
    return walk.hook == "all" and bool(names) and all(guesses.pattern("of the run").search(name) for name in names)


def _is_left_to_one_beside(walks: Sequence[Walk], event: Event) -> bool:
    """Whether another method lets only some ranks, by who they are, write to what the object was made with.

    So a folder that ``__init__`` was given, and that rank 0 fills, is not the rank's own.
    """
    here = event.stack[-1].function
    owner = here.rpartition(".")[0]
    names = paths.given_names(event.target) - _own_parameters(event)
    if not owner or not names or elements.is_one_of_many(event):
        return False
    return any(
        other.effect in MAKES
        and other.file is event.file
        and other.stack[-1].function.rpartition(".")[0] == owner
        and other.by_some
        and names & paths.all_given_names(other.target) - _own_parameters(other)
        for walk in walks
        for other in walk.events
    )


def _own_parameters(event: Event) -> frozenset[str]:
    """The parameters of the method that an event is in."""
    function = Site(event.file, event.node).function
    return frozenset(positional(function.params) if function is not None else ())


def _is_left_to_one(walk: Walk, event: Event) -> bool:
    """Whether the same function lets only some ranks, by who they are, write to the very path that an event changes."""
    path, here = event.written(min(event.ranks)), event.stack[-1]
    beside = (one for one in walk.doing(*MAKES) if one.stack[-1].function == here.function)
    return bool(path) and any(
        other.file is event.file and other.by_some and other.written(min(other.ranks)) == path
        for other in beside
        if other.node is not event.node
    )


def writers(event: Event, *, clock: bool = True) -> frozenset[int]:
    """The ranks that surely share the path an event changes; none where every rank may have its own."""
    target = event.target
    if _is_nameless(event) or target is None:
        return event.ranks if _is_nameless(event) else frozenset()
    if not isinstance(target, PerRank):
        return (
            event.ranks if any(uniformity.same_for_all(one, clock=clock) for one in _offered(target)) else frozenset()
        )
    groups: dict[paths.Path, set[int]] = {}
    for rank in event.ranks:
        own = target.values[rank]
        if is_path(own) and uniformity.same_for_all(own, clock=clock):
            groups.setdefault(paths.path_of(own), set()).add(rank)
    most = frozenset(sorted(groups.values(), key=len)[-1] if groups else ())
    apart = _is_local(most, event) or _is_numbered(target.values[min(most, default=0)], most)
    return most if len(most) > 1 and not apart and () not in groups else frozenset()


def who(event: Event) -> frozenset[int]:
    """The ranks that share the path of an event; where that is not known, all who come there."""
    return writers(event) or event.ranks


def _is_numbered(path: Value, ranks: frozenset[int]) -> bool:
    """Whether a path that the second rank of each node has may bear the number of that rank."""
    return ranks == multiplicity.LOCAL_SECOND and any(
        "1" in piece for piece in paths.pieces(path) if isinstance(piece, str)
    )


def _offered(path: Value) -> Iterator[Value]:
    """A path, or what an option of the program that is not about ranks makes of it, on or off."""
    yield path
    if not isinstance(path, Either) or path.local is not None or uniformity.is_about_ranks(path.symbol):
        return
    if not paths.holds(path.symbol, *_HANDED_OUT):
        yield from _offered(path.yes)
        yield from _offered(path.no)


def _is_own(path: Value | None) -> bool:
    """Whether each rank has a path of its own: it is moved over what another rank may have put there, all at once."""
    return isinstance(path, PerRank) or (isinstance(path, Varying) and path.reason in (Reason.RANDOM, Reason.CLOCK))


def listings(walk: Walk, event: Event) -> list[Event]:
    """Where the ranks of an event found what it removes or moves, in a folder that is the same for them."""
    target = event.target
    if event.effect not in (Effect.DELETE, Effect.MOVE) or not isinstance(target, Varying) or target.trail is None:
        return []
    if target.reason is not Reason.FILESYSTEM or not uniformity.same_for_all(Unknown(target.symbol)):
        return []
    listing = target.trail.links()[0].node
    found = [other for other in walk.doing(Effect.LIST) if other.node is listing]
    alike = all(event.ranks <= other.ranks and uniformity.same_for_all(other.details.get("path")) for other in found)
    return found if alike else []


def _is_local(ranks: frozenset[int], event: Event) -> bool:
    """Whether these are one process of each node, so that only their disks can tell: all but the first are several."""
    return ranks != event.everyone and ranks <= multiplicity.LOCAL_FIRST


def is_opened_by(event: Event, others: Iterable[Event]) -> bool:
    """Whether the event writes into a file whose opening is among ``others``."""
    path = event.details.get("path")
    if event.details.get("handle") is None or path is None:
        return False
    return any(other is not event and other.details.get("path") == path for other in others)


def guards_itself(event: Event) -> bool:
    """Whether the call decides itself who writes."""
    row = event.api
    if row is None:
        return False
    if _BY_CONTRACT & set(row.roles) or (
        row.atomic and row.effect in (Effect.CREATE_DIR, Effect.DOWNLOAD, Effect.WRITE)
    ):
        return True
    return any(name in event.kwargs for name in (row.is_main.name, "save_function") if name)


def is_named_after_saving(event: Event) -> bool:
    """Whether a call that nobody can follow has a name of saving."""
    return guesses.pattern("saves").search(event.name.rpartition(".")[2]) is not None

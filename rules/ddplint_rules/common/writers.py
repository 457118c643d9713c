"""What the rules about writes on every rank share: who comes there, what the call tolerates, which test guards it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from ddplint.fixing.code.site import Site
from ddplint.rule import Const, Either, Event, Guard, Object, PerRank, Reason, Unknown, Value, Varying, Walk
from ddplint.source.tree import positional
from ddplint_rules.common import commands, everywhere, multiplicity, notes, order, paths, uniformity
from ddplint_rules.common.commands import may_be_of_one
from ddplint_rules.common.exclusive import is_claimed
from ddplint_rules.common.existence import asked, ends_in_raise, found_first, looked_for, refuses, tests
from ddplint_rules.common.handlers import is_caught
from ddplint_rules.common.locks import under_lock
from ddplint_rules.common.memo import kept

__all__ = [
    "guards_itself",
    "is_by_all",
    "is_careful",
    "is_chosen_elsewhere",
    "is_listed",
    "is_opened_by",
    "is_optional",
    "listings",
    "may_be_tested",
    "one_goes_first",
    "refused",
    "tested",
    "tolerates",
    "writers",
]

_OF_THE_RUN = re.compile(r"dir|path|folder|epoch|step|^(args|state|trainer|runner)$")
_CHANGES = frozenset({"write", "append", "create_dir", "copy", "move", "link", "download"})
_NAMELESS = frozenset({"tracker", "upload", "process"})
_DEVICES = frozenset({"device", "map_location"})
_STREAMS = frozenset({"requests", "urllib"})
"""Packages whose downloads go into memory where no path is given."""

_HANDED_OUT = ("batch", "element", "output")
"""What loops and models hand out: what it holds is no option of the program."""

_BY_CONTRACT = frozenset({"save_any", "save_all_ranks", "log_any"})


def is_by_all(walk: Walk, event: Event, *, clock: bool = False, among: Sequence[Walk] = ()) -> bool:
    """Whether several ranks surely make this call, on a path that is the same for them (but for the time).

    Parameters: ``among``, the walks of the file, in which other methods may say whose the path is.
    """
    known, key = _answers(walk), (id(event), clock, len(among))
    if key not in known:
        known[key] = _is_by_all(walk, event, clock, among)
    return known[key]


@kept
def _answers(walk: Walk) -> dict[tuple[int, bool, int], bool]:
    """What was found out about the events of a walk: several rules ask the same."""
    return {}


def _is_by_all(walk: Walk, event: Event, clock: bool, among: Sequence[Walk]) -> bool:
    if len(event.ranks) < 2 or _is_local(event.ranks, event):
        return False
    if not multiplicity.run_together(walk, event) and not everywhere.is_made(walk, event, among):
        return False
    if uniformity.depends_on_a_part(event) and not uniformity.one_of_each_part(event):
        return False
    if _is_own_where_together(walk, event):
        return False
    if guards_itself(event) or under_lock(walk, event) or _is_there(walk, event) or is_claimed(walk, event):
        return False
    if any((guard.guess and not _only_raises(guard)) or guard.reason is Reason.EXCEPTION for guard in event.guards):
        return False
    if _is_nameless(event):
        given = _given(event)
        if event.effect == "process" and not _is_of_one_place(walk, event):
            return False
        disk = event.effect == "tracker"  # whatever folder the run is kept in, each rank has a run of its own
        return (
            all(uniformity.same_for_all(value, clock=clock, disk=disk) for value in given)
            and "group" not in event.kwargs
        )
    if event.effect == "move" and _is_own(event.details.get("path")):
        return False
    if is_listed(walk, event):
        return True
    if not writers(event, clock=clock):
        return False
    return not is_chosen_elsewhere(walk, event, among) or _is_left_to_one_beside(among, event)


def _is_own_where_together(walk: Walk, event: Event) -> bool:
    """Whether what makes the program one of several ranks (``if args.index == -1:``) names the path after the rank."""
    target = notes.target_of(event)
    if not isinstance(target, Either):
        return False
    together = [path for path in multiplicity.joint_paths(walk) if uniformity.agree(path, event.together)]
    while isinstance(target, Either):
        known = {path.get(target.symbol) for path in together}
        if known != {True} and known != {False}:
            return False
        target = target.yes if True in known else target.no
    return not uniformity.same_for_all(target, clock=True)


def _is_there(walk: Walk, event: Event) -> bool:
    """Whether another rank has downloaded the same before, and all have met since: it is found now."""
    return event.effect == "download" and (_done_by_another(walk, event) or _first_by_meeting(walk, event))


def _done_by_another(walk: Walk, event: Event) -> bool:
    """Whether a rank that does not come to an event has done the same before, and all have met since."""
    if event.ranks == event.everyone:
        return False
    before = (one for one in walk.events if one.name == event.name and one.order < event.order)
    return any(
        not one.ranks & event.ranks
        and _what(one) == _what(event)
        and all(order.comes_before(walk, one, min(one.ranks), event, rank) for rank in event.ranks)
        for one in before
    )


def _what(event: Event) -> object:
    return paths.written(event, min(event.ranks)) or _given(event)


def _only_raises(guard: Guard) -> bool:
    """Whether a guess is about who gets beyond a check that ends in ``raise``: the job goes on where nobody raises."""
    statement = guard.statement
    return isinstance(statement, cst.If) and statement.orelse is None and ends_in_raise(statement.body)


def _given(event: Event) -> tuple[Value, ...]:
    """What a call is given; of a command, the parts of it; of a download not the device that it goes to in the end."""
    if event.effect == "process":
        return tuple(event.details.get("content", ()))
    if event.effect != "download":
        return (*event.args, *event.kwargs.values())
    named = (value for name, value in event.kwargs.items() if name not in _DEVICES)
    return tuple(value for value in (*event.args, *named) if not _is_device(value))


def _is_device(value: Value) -> bool:
    """Whether each rank names a device of its own."""
    own = value.values if isinstance(value, PerRank) else (value,)
    return all(isinstance(one, (Const, Object)) and _names_device(one) for one in own)


def _names_device(value: Const | Object) -> bool:
    if isinstance(value, Object):
        return value.name == "torch.device"
    return isinstance(value.value, str) and value.value.startswith("cuda")


def _is_of_one_place(walk: Walk, event: Event) -> bool:
    """Whether a command changes the same files wherever it is called from."""
    if not commands.changes_files(event):
        return False
    return not commands.is_chosen_elsewhere(event) or any(other.effect == "init" for other in walk.events)


def _is_nameless(event: Event) -> bool:
    """Whether it is done to something else than a path, or to the folder that a downloader keeps by itself."""
    if event.effect == "download" and notes.target_of(event) is None:
        return event.name.partition(".")[0] not in _STREAMS
    return event.effect in _NAMELESS


def is_chosen_elsewhere(walk: Walk, event: Event, among: Sequence[Walk] = ()) -> bool:
    """Whether the name is one that the walk cannot see, and that may differ by rank.

    What builds the process group itself is called with the same arguments on all ranks, and a path that the program
    elsewhere lets one rank write to is not the rank's own.
    """
    target = notes.target_of(event)
    if _is_one_of_many(event) or may_be_of_one(event, target, among):
        return True
    if not paths.is_given_by_caller(target) or any(other.effect == "init" for other in walk.events):
        return False
    return not _is_left_to_one(walk, event) and not _is_given_by_framework(walk, event)


def _is_one_of_many(event: Event) -> bool:
    """Whether it writes what a collection that is not known names, perhaps the rank's own."""
    return event.effect in ("write", "append") and paths.is_an_element(notes.target_of(event))


def _is_given_by_framework(walk: Walk, event: Event) -> bool:
    """Whether a framework calls this on all ranks with the path or the count that names the file, not with a batch."""
    names = paths.given_names(notes.target_of(event))
    return walk.hook == "all" and bool(names) and all(_OF_THE_RUN.search(name) for name in names)


def _is_left_to_one_beside(walks: Sequence[Walk], event: Event) -> bool:
    """Whether another method lets only some ranks, by who they are, write to what the object was made with.

    So a folder that ``__init__`` was given, and that rank 0 fills, is not the rank's own.
    """
    here = event.stack[-1].function
    owner = here.rpartition(".")[0]
    names = paths.given_names(notes.target_of(event)) - _own_parameters(event)
    if not owner or not names or _is_one_of_many(event):
        return False
    return any(
        other.effect in _CHANGES
        and other.file is event.file
        and other.stack[-1].function.rpartition(".")[0] == owner
        and notes.by_some(other)
        and names & paths.all_given_names(notes.target_of(other)) - _own_parameters(other)
        for walk in walks
        for other in walk.events
    )


def _own_parameters(event: Event) -> frozenset[str]:
    """The parameters of the method that an event is in."""
    function = Site(event.file, event.node).function
    return frozenset(positional(function.params) if function is not None else ())


def _is_left_to_one(walk: Walk, event: Event) -> bool:
    """Whether the same function lets only some ranks, by who they are, write to the very path that an event changes."""
    path, here = paths.written(event, min(event.ranks)), event.stack[-1]
    beside = (one for one in walk.events if one.effect in _CHANGES and one.stack[-1].function == here.function)
    return bool(path) and any(
        other.file is event.file and notes.by_some(other) and paths.written(other, min(other.ranks)) == path
        for other in beside
        if other.node is not event.node
    )


def writers(event: Event, *, clock: bool = True) -> frozenset[int]:
    """The ranks that surely share the path an event changes; none where every rank may have its own."""
    target = notes.target_of(event)
    if _is_nameless(event) or target is None:
        return event.ranks if _is_nameless(event) else frozenset()
    if not isinstance(target, PerRank):
        return (
            event.ranks if any(uniformity.same_for_all(one, clock=clock) for one in _offered(target)) else frozenset()
        )
    groups: dict[paths.Path, set[int]] = {}
    for rank in event.ranks:
        own = target.values[rank]
        if notes.is_path(own) and uniformity.same_for_all(own, clock=clock):
            groups.setdefault(paths.path_of(own), set()).add(rank)
    most = frozenset(sorted(groups.values(), key=len)[-1] if groups else ())
    return most if len(most) > 1 and not _is_local(most, event) and () not in groups else frozenset()


def is_optional(event: Event) -> bool:
    """Whether an option of the program, on or off, gives each rank a path of its own."""
    target = notes.target_of(event)
    return isinstance(target, Either) and not uniformity.same_for_all(target, clock=True)


def _offered(path: Value) -> Iterator[Value]:
    """A path, or what an option of the program that is not about ranks makes of it, on or off."""
    yield path
    if not isinstance(path, Either) or path.local is not None or uniformity.is_about_ranks(path.symbol.key):
        return
    if not any(paths.holds(path.symbol, ("fresh", what)) for what in _HANDED_OUT):
        yield from _offered(path.yes)
        yield from _offered(path.no)


def _is_own(path: Value | None) -> bool:
    """Whether each rank has a path of its own: it is moved over what another rank may have put there, all at once."""
    return isinstance(path, PerRank) or (isinstance(path, Varying) and path.reason in (Reason.RANDOM, Reason.CLOCK))


def is_listed(walk: Walk, event: Event) -> bool:
    """Whether an event removes or moves what all ranks find in one folder, each when it comes there."""
    return bool(listings(walk, event))


def listings(walk: Walk, event: Event) -> list[Event]:
    """Where the ranks of an event found what it removes or moves, in a folder that is the same for them."""
    target = notes.target_of(event)
    if event.effect not in ("delete", "move") or not isinstance(target, Varying) or target.trail is None:
        return []
    if target.reason is not Reason.FILESYSTEM or not uniformity.same_for_all(Unknown(target.symbol)):
        return []
    listing = target.trail.links()[0].node
    found = [other for other in walk.events if other.effect == "list" and other.node is listing]
    alike = all(event.ranks <= other.ranks and uniformity.same_for_all(other.details.get("path")) for other in found)
    return found if alike else []


def _is_local(ranks: frozenset[int], event: Event) -> bool:
    """Whether these are processes of the same number on each node, so that only their disks can tell."""
    return ranks != event.everyone and any(ranks <= alike for alike in multiplicity.ALIKE)


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
    if _BY_CONTRACT & set(row.roles) or (row.atomic and row.effect in ("create_dir", "download", "write")):
        return True
    return any(name in event.kwargs for name in (row.is_main_arg, "save_function") if name)


def tolerates(event: Event) -> bool:
    """Whether the call was told that others may have done it already, or the program catches what it raises then."""
    row = event.api
    if row is None or is_caught(event):
        return row is not None
    pairs = (
        (row.exist_ok_arg, row.exist_ok_pos),
        (row.missing_ok_arg, row.missing_ok_pos),
        (row.ignore_errors_arg, row.ignore_errors_pos),
    )
    return any(notes.is_given(event, name, position) for name, position in pairs if name)


def tested(walk: Walk, event: Event) -> Event | None:
    """The test for the very path that an event changes, where the ranks come to the event by its answer."""
    rank = min(writers(event) or event.ranks)
    changed = paths.changed(event, rank) | _moved_to(walk, event, rank)
    for guard in event.guards:
        for test in asked(walk, guard):
            if looked_for(walk, test, rank) & changed:
                return test
    return next((test for test in _tests_of(walk, changed, rank) if found_first(test, event)), None)


def _moved_to(walk: Walk, event: Event, rank: int) -> frozenset[paths.Path]:
    """Where the program then moves what an event writes: into the place of the file that was asked for."""
    if event.effect not in ("write", "copy", "download"):
        return frozenset()
    own, found = paths.written(event, rank), frozenset[paths.Path]()
    for other in walk.events:
        if other.effect == "move" and other.order > event.order and rank in other.ranks:
            found |= {paths.written(other, rank)} if own and paths.looked_at(other, rank) == own else frozenset()
    return found


def is_careful(walk: Walk, event: Event) -> bool:
    """Whether nothing is raised where the path of an event is not, or no longer, there."""
    return tolerates(event) or may_be_tested(walk, event) or tested(walk, event) is not None


def may_be_tested(walk: Walk, event: Event) -> bool:
    """Whether the program comes here after asking ``exists()`` of something unknown that the path is made of.

    Where it comes whatever the answer is, it was asked for another reason: to go on from what a run before has left.
    """
    question = paths.asked_for(event).get(paths.written(event, min(event.ranks)))
    if question is None:
        return False
    answer = event.path[question]
    return not any(other.path.get(question) is (not answer) for other in walk.events if other.node is event.node)


def one_goes_first(walk: Walk, event: Event, among: Sequence[Walk] = ()) -> bool:
    """Whether the first rank, or the first of every node, has surely done it before any other rank comes to it.

    So it may be where some ranks, by who they are, first do something that nobody knows, and that may be a barrier.
    Parameters: ``among``, the walks of the file, in which one rank may prepare what this one does.
    """
    if any(_may_wait(other, event) for other in walk.events) or _done_by_another(walk, event):
        return True
    return _is_prepared(walk, event, among) or _first_by_meeting(walk, event)


def _is_prepared(walk: Walk, event: Event, among: Sequence[Walk]) -> bool:
    """Whether a hook of the same object that its framework calls on one rank first does the same (``prepare_data``)."""
    if walk.hook != "all":
        return False
    before = (other for other in among if other.is_of_one and _are_of_one(walk, other))
    return any(one.node is event.node for other in before for one in other.events)


def _are_of_one(walk: Walk, other: Walk) -> bool:
    """Whether methods are those of one object: the class of one is the other's, or one of its bases."""
    pair = ((walk, other), (other, walk))
    return any(mine.lineage and mine.lineage[0] in other.lineage for mine, other in pair)


def _first_by_meeting(walk: Walk, event: Event) -> bool:
    """Whether the others wait before an event for the first rank, or the first of their node, which waits after it."""
    for first in ({min(event.ranks)}, multiplicity.LOCAL_FIRST & event.ranks):
        others = event.ranks - first
        if first and others and all(order.comes_before(walk, event, min(first), event, other) for other in others):
            return True
    return False


def _may_wait(other: Event, event: Event) -> bool:
    if (
        other.effect not in ("opaque", "collective")
        or other.order > event.order
        or not uniformity.depends_on_a_part(other)
    ):
        return False
    around = {(frame.file, frame.function) for frame in event.stack}
    return (other.file, other.stack[-1].function) in around


def _tests_of(walk: Walk, any_of: frozenset[paths.Path], rank: int) -> Iterator[Event]:
    """The tests for one of these paths."""
    return (event for event in tests(walk) if event.effect == "exists" and looked_for(walk, event, rank) & any_of)


def refused(walk: Walk, event: Event) -> Event | None:
    """A test before the event that raises if the path is there which the event then creates."""
    if event.effect not in ("create_dir", "write", "copy", "link"):
        return None
    rank = min(writers(event) or event.ranks)
    changed = paths.changed(event, rank)
    for test in tests(walk):
        if test.effect != "exists" or test.order > event.order or not event.ranks <= test.ranks:
            continue
        same = looked_for(walk, test, rank) & changed
        if same and uniformity.agree(test.path, event.path) and refuses(test, _tests_of(walk, same, rank)):
            return test
    return None

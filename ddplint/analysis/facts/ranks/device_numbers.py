"""Numbers of devices that are the number of the process in the whole job."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import libcst as cst

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Const, Container, PerRank, Tuple, Unknown, Value
from ddplint.analysis.facts.calls import name_words
from ddplint.analysis.facts.ranks import multiplicity
from ddplint.analysis.facts.ranks.devices import hides_devices
from ddplint.analysis.facts.ranks.multiplicity import joint_paths
from ddplint.analysis.trace import uniformity
from ddplint.analysis.trace.events import Event, Frame, Walk
from ddplint.analysis.trace.paths import is_set_later
from ddplint.fixing.code.site import Site
from ddplint.knowledge import guesses, rank_words
from ddplint.source.ancestry import descend, nodes_of, tree_of
from ddplint.source.calls import called, last_part
from ddplint.source.file import SourceFile
from ddplint.source.words import says, words_of
from ddplint.util import figures
from ddplint.util.kept import kept

_KNOWS_LOCAL = frozenset({"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "--local_rank", "--local-rank"})
"""How a program asks for its number on its node: it is meant for more than one."""

_NUMBERS = ("rank", "procid")
"""How the names of numbers of processes end."""

_BINDS = "set_device"
"""What takes a device of one make: ``torch.cuda.set_device``."""

_DEVICE_WORDS = frozenset({"local", "gpu", "device", "cuda"})


@dataclass(frozen=True)
class Misnumbered:
    """A device that gets the global rank: ``frame`` is where it is given, ``value`` the number.

    ``sure``: the program knows the number within the node, and so is meant for more than one.
    """

    event: Event
    frame: Frame
    value: PerRank
    sure: bool = True


def misnumbered(walk: Walk) -> Iterator[Misnumbered]:
    """What takes the global rank for a device where the program knows the local one; else the first that takes it.

    These are bindings, barriers, wrappers and names of devices; what is moved to such a device only where it has no
    name, and then the first.
    """
    found = list(_misnumbered(walk))
    sure = [one for one in found if one.sure]
    yield from [one for one in sure if not _moves(one.event)] or sure[:1] or found[:1]


def numbers_of_node(event: Event) -> Iterator[PerRank]:
    """The numbers of devices that an event is given, where they are those of the processes on their nodes."""
    return filter(_is_of_node, _numbers(event))


def _moves(event: Event) -> bool:
    return event.effect == Effect.NAME_DEVICE and event.name in ("cuda", "to")


def _misnumbered(walk: Walk) -> Iterator[Misnumbered]:
    bound = [event for event in walk.doing(Effect.BIND_DEVICE) if any(map(_is_of_node, event.args))]
    one_node = any(event.effect == Effect.LAUNCH or hides_devices(event) for event in walk.events)
    for event in walk.events:
        for value in _numbers(event):
            if not _is_global(value) or _is_of_another_program(walk, event, value):
                continue
            if any(is_set_later(asked) for asked in event.path):
                continue  # a number that is taken only as long as nobody has said which it is
            if any(other.agrees_with(event) for other in bound) or _may_be_told(event, value):
                yield Misnumbered(event, _given_at(event), value)
            elif _is_elsewhere(walk, event):
                continue
            elif not one_node and not _is_reduced(event, value) and not _is_for_one_node(event):
                yield Misnumbered(event, _given_at(event), value, sure=False)


def _is_of_another_program(walk: Walk, event: Event, value: PerRank) -> bool:
    """Whether a program without ranks says nothing of this number: it is in the file that is run, or is meant to be
    that of the process on its node, for which a helper falls back to what there is without a group.
    """
    if not _is_elsewhere(walk, event):
        return False
    return event.file is walk.file or _falls_back(_given_at(event), value)


def _falls_back(given: Frame, value: PerRank) -> bool:
    """Whether what is called a local rank was asked for elsewhere than in the function that takes it for one."""
    asked = value.trail.links()[0] if value.trail is not None else None
    if asked is None or not says(given.node, rank_words.LOCAL_RANK):
        return False
    function = Site(given.file, given.node).function
    return (
        function is None
        or asked.file is not given.file
        or not Site(given.file, asked.node).tree.contains(function, asked.node)
    )


def _is_elsewhere(walk: Walk, event: Event) -> bool:
    """Whether a program starts several ranks, but not on the way to an event (``spawn(main)`` or else ``main()``).

    So it is on all ways of a whole program that starts none; what a library of it does is for other programs, too.
    """
    ways = joint_paths(walk)
    return bool(ways or walk.is_of_a_script) and not any(uniformity.agree(way, event.together) for way in ways)


def _is_for_one_node(event: Event) -> bool:
    """Whether the files say that they are for one node, or know the number within it: which of the two it is, is not
    known then."""
    one_node = guesses.pattern("for one node").search
    return any(one_node(step.file.text) is not None or _knows_local(step.file) for step in event.stack)


def _may_be_told(event: Event, value: PerRank) -> bool:
    """Whether the program can tell the number within the node, and does not reckon with that within the job."""
    links = value.trail.links() if value.trail is not None else ()
    files = {step.file for step in event.stack} | {link.file for link in links[:1]}
    beside = any(_tells_local(link.file) for link in links)
    return (_has_both(value) or beside or any(map(_knows_local, files))) and not _is_reduced(event, value)


def _has_both(value: PerRank) -> bool:
    """Whether there is a number of the node on the object of which that within the job was asked."""
    return "local" in _ranks_there(value)


def _ranks_there(value: PerRank) -> frozenset[str]:
    """Which ranks the tables know where a number comes from; what a launcher passes may be either."""
    links = value.trail.links() if value.trail is not None else ()
    return links[0].ranks if links else frozenset()


def _is_of_node(value: Value) -> bool:
    """Whether a process is bound to the device of its number on the node: by that number, or modulo the devices."""
    if not isinstance(value, PerRank):
        return False
    if isinstance(value.values[-1], Unknown):
        number = value.values[-1].symbol
        return isinstance(number, terms.Operation) and number.sign == "%"
    return [part.value if isinstance(part, Const) else None for part in value.values] == [0, 1, 0, 1]


def _numbers(event: Event) -> Iterator[PerRank]:
    given: list[Value | None] = list(event.args) if event.effect == Effect.NAME_DEVICE else []
    if event.effect == Effect.BIND_DEVICE:
        given = [event.kwargs.get("device") or (event.args[0] if event.args else None)]
    listed = event.details.get("devices")
    given += listed.items if isinstance(listed, Tuple) else []
    given += event.details.get("content", ()) if isinstance(event.kwargs.get("device_map"), Container) else ()
    given += event.args[1:2] if hides_devices(event) else []
    yield from (value for value in given if isinstance(value, PerRank))


def _is_global(value: PerRank) -> bool:
    numbers = [str(part.value) if isinstance(part, Const) else "" for part in value.values]
    return numbers == [str(rank) for rank in range(len(numbers))] and "global" in _ranks_there(value)


def _knows_local(file: SourceFile) -> bool:
    return not words_of(file).isdisjoint(_KNOWS_LOCAL)


@kept
def _tells_local(file: SourceFile) -> bool:
    """Whether a helper gives the number within the node, beside the one that gives the number within the job."""
    names = (node.name.value for node in nodes_of(file.module, cst.FunctionDef))
    return any(rank_words.LOCAL_RANK.search(name) for name in names)


def _is_reduced(event: Event, value: PerRank) -> bool:
    """Whether the program reckons with the rank, so that the number may be that of a device after all."""
    links = value.trail.links() if value.trail is not None else ()
    read = [step.file for step in event.stack] + [link.file for link in links]
    asked = {step.function.rpartition(".")[2] for step in event.stack} if event.name.endswith(".set_device") else None
    return any(_reduces(file, event.name, asked) for file in read)


def _reduces(file: SourceFile, name: str, asked: set[str] | None) -> bool:
    """Whether a file brings a rank down, elsewhere than in the helper that gives the number within the node.

    Who binds a process says which number is meant there: ``asked``, the functions on the way to it, are all that is
    read then, and what they do for the devices of another make than ``name`` is not done for these.
    """
    tree = tree_of(file.module)
    for node in _reductions(file):
        function = tree.function(node)
        inside = function.name.value if isinstance(function, cst.FunctionDef) else ""
        elsewhere = asked is not None and bool(inside) and inside not in asked
        if elsewhere or (asked is not None and _is_of_another_make(tree.ancestors(node), name)):
            continue
        if "local" not in inside:
            return True
    return False


@kept
def _reductions(file: SourceFile) -> list[cst.BinaryOperation]:
    """Where a number of a process is brought down to the devices of a node: ``rank % 8``."""
    found = nodes_of(file.module, cst.BinaryOperation)
    signs = (cst.Modulo, cst.Subtract)
    return [node for node in found if isinstance(node.operator, signs) and _is_number(node.left)]


def _is_number(node: cst.BaseExpression) -> bool:
    while isinstance(node, cst.BinaryOperation):
        node = node.right
    if isinstance(node, cst.Call) and len(node.args) == 1:  # int(os.environ["RANK"])
        given = node.args[0].value
        index = given.slice[0].slice if isinstance(given, cst.Subscript) else None
        return isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString)
    name = last_part(node.func) if isinstance(node, cst.Call) and not node.args else last_part(node)
    return name.lower().endswith(_NUMBERS)


def _is_of_another_make(above: Iterator[cst.CSTNode], name: str) -> bool:
    """Whether a number is given to what binds a process to a device, and that is not ``name``."""
    binds = (called(one) for one in above if isinstance(one, cst.Call) and last_part(one.func) == _BINDS)
    return any(one != name for one in binds)


def _given_at(event: Event) -> Frame:
    """The call that gives the number: the one of the function whose parameter is named after a device."""
    frames = list(event.stack)
    while len(frames) > 1 and _is_parameter(frames[-1]):
        frames.pop()
    return frames[-1]


def _is_parameter(frame: Frame) -> bool:
    """Whether a call, or the name of a device, passes on a parameter of its function that is named after a device."""
    function = Site(frame.file, frame.node).function
    if function is None:
        return False
    params = {param.name.value for param in function.params.params if name_words(param.name) & _DEVICE_WORDS}
    if frame.call is None:
        return any(isinstance(node, cst.Name) and node.value in params for node in descend(frame.node))
    values = [arg.value for arg in frame.call.args]
    values += [item.value for value in values if isinstance(value, (cst.List, cst.Tuple)) for item in value.elements]
    return any(isinstance(value, cst.Name) and value.value in params for value in values)


_NAME = re.compile(r"cuda:(\d+)")

_WHOLE = Const("")
"""What a map of devices calls the whole model."""

_OF_ONE_NODE = frozenset({0, 1})
"""Ranks of one imagined node."""


def pinned(walk: Walk) -> Iterator[tuple[Event, int, Event]]:
    """The first move or load to each device that all ranks call by one number: what, the number, one by local rank."""
    told: set[int] = set()
    for event in walk.events:
        number = _given(event)
        if (
            number is None
            or number in told
            or not event.ranks >= _OF_ONE_NODE
            or not multiplicity.run_together(walk, event)
        ):
            continue
        beside = _own_beside(walk, event)
        if beside is not None:
            told.add(number)
            yield event, number, beside


def has_own(walk: Walk, event: Event) -> bool:
    """Whether the processes of a node have a GPU each where the event happens."""
    return _own_beside(walk, event) is not None


def _own_beside(walk: Walk, event: Event) -> Event | None:
    return next((one for one in _own(walk) if uniformity.agree(one.together, event.together)), None)


@kept
def _own(walk: Walk) -> list[Event]:
    """What gets the device of the local rank; nothing where a process sees one GPU only."""
    if any(map(hides_devices, walk.events)):
        return []
    return [event for event in walk.events if any(True for _ in numbers_of_node(event))]


def number_of(value: Value | None) -> int | None:
    """The number that a device has on all ranks: ``"cuda:0"``."""
    name = _NAME.fullmatch(value.value) if isinstance(value, Const) and isinstance(value.value, str) else None
    return figures.written(name[1]) if name is not None else None


def _given(event: Event) -> int | None:
    """The number of the one device that a call is given."""
    if event.effect == Effect.NAME_DEVICE and isinstance(event.args[0], Const):
        return figures.whole(event.args[0].value)
    mapped = event.kwargs.get("device_map")
    if not isinstance(mapped, Container):
        return number_of(mapped)
    content = event.details.get("content", ())
    places = [value for key, value in pairwise(content) if key == _WHOLE]
    return _number(places[0]) if len(places) == 1 else None


def _number(value: Value) -> int | None:
    if isinstance(value, Const) and type(value.value) is int:
        return figures.whole(value.value)
    return number_of(value)

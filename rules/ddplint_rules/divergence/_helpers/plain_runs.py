"""Runs of one process that a program foresees: it makes no group then, and does without what would need one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import libcst as cst

from ddplint.rule import Effect, Effects, Event, Frame, Place, Symbol, Walk
from ddplint.rule.code import (
    Site,
    given_under,
    last_part,
    leaving,
    names_called,
    nodes_of,
    up_to_function,
    ways_out,
    without_not,
    words_in,
)
from ddplint.rule.facts import calls_in_other_arm, is_from_launcher, is_written_down, other_arm, uniformity
from ddplint.rule.fixes import group_surely_exists
from ddplint.rule.knowledge import begins, rank_words

_INIT = "torch.distributed.init_process_group"
_ASKS_FOR_IT: Effects = frozenset({Effect.COLLECTIVE, Effect.CONSTRUCT})
_AFTERWARDS = ("is_initialized", "is_available", "is_nccl_available")
"""Questions that are about the group itself, or about this build of torch."""


@dataclass(frozen=True, eq=False)
class Unready:
    """``event`` needs the group, which ``way`` (a test, or a ``return`` above) goes past; ``meant`` is for such runs.

    That is another operation which asks first, or what the other arm of the test does.
    """

    event: Event
    init: Event
    way: cst.CSTNode
    meant: Place


def unready(walk: Walk) -> Iterator[Unready]:
    """The operations in the default group that nobody asks about, in a program whose runs of one process make none.

    Where something else than torch makes the group, too, the test chooses who does.
    """
    inits = walk.doing(Effect.INIT)
    if any(event.name != _INIT for event in inits):
        return
    ways = [_way_past(init) for init in inits]
    if not inits or None in ways or walk.begun or walk.hook or _may_have_begun(walk, inits[-1]):
        return
    init, way = inits[-1], ways[-1]
    later = [event for event in walk.doing(*_ASKS_FOR_IT) if event.order > init.order]
    known = {id(node) for frame in init.stack for _, node in _decisions(frame)}
    makers = [frame.node for frame in init.stack]
    other = next((Place.of(event) for event in later if _asks_first(event, known, makers)), None)
    meant = other or _other_arm(init, way)
    beyond = {id(test) for frame in init.stack for test in _around(Site(frame.file, frame.node))} - {id(way)}
    own = {*init.path.items()} - _holds_anyway(walk, init, way)
    for event in later if meant is not None else ():
        if own & event.path.items() or _may_be_asked(event, beyond):
            continue
        if _parts_the_group(event) and not event.path.items() - init.path.items():
            return  # no run of one process gets any further
        if _is_of_all(event):
            assert meant is not None
            assert way is not None
            yield Unready(event, init, way, meant)


def _holds_anyway(walk: Walk, init: Event, way: cst.CSTNode | None) -> set[tuple[Symbol, bool]]:
    """What held before the program asked about the kind of run, by what it did then."""
    before = [event for event in walk.events if event.order < init.order and not _comes_behind(event, way)]
    return {*before[-1].path.items()} if before else set()


def _comes_behind(event: Event, way: cst.CSTNode | None) -> bool:
    return any(node is way for frame in event.stack for _, node in _decisions(frame))


def _makes_it_either_way(init: Event, way: cst.CSTNode) -> bool:
    """Whether the test decides how the group is made, and not whether: its other arm makes one, too."""
    last = _INIT.rpartition(".")[2]
    return last in names_called(way) or any(last in calls_in_other_arm(frame, way) for frame in init.stack)


def _may_have_begun(walk: Walk, init: Event) -> bool:
    """Whether the start asks for a group that is there already, in a function whose callers may have made it."""
    tests = (test for frame in init.stack for test, _ in _decisions(frame) if _asks_torch(test))
    return not walk.is_of_a_script and any(tests)


def _other_arm(init: Event, way: cst.CSTNode | None) -> Place | None:
    """What is done in the place of making the group, where that sets what is set beside the group, too.

    So the program goes on with it: the device of one process, say, instead of that of each rank.
    """
    found = ((frame, other_arm(frame, way)) for frame in init.stack if way is not None)
    return next((Place(frame.file, instead) for frame, instead in found if instead is not None), None)


def _is_of_all(event: Event) -> bool:
    """Whether it is a function of torch's own, or a wrapper, in the group of all ranks."""
    if event.api is None or event.api.framework != "torch":
        return False
    plain = event.api.form == "function" and begins("communication", event.name)
    return (plain or event.makes("ddp", "fsdp")) and not event.group and event.ranks == event.everyone


def _parts_the_group(event: Event) -> bool:
    """Whether another library makes its groups out of the one of all ranks, which has to be there."""
    row = event.api
    return row is not None and row.framework != "torch" and "group_factory" in row.also and event.by_all


def _way_past(init: Event) -> cst.CSTNode | None:
    """A test about the kind of run by which the program comes past the making of the group, and goes on."""
    for number, frame in enumerate(init.stack):
        for test, node in _decisions(frame):
            if is_written_down(init.stack, number, test):
                continue
            about = _is_about_runs(test, frame) or other_arm(frame, test) is not None
            if about and not _makes_it_either_way(init, node):
                return node
    return None


def _asks_first(event: Event, known: set[int], makers: Sequence[cst.CSTNode]) -> bool:
    """Whether a test about the kind of run decides on a wrapper, or (another than makes the group) on an operation.

    Parameters: ``makers``, the calls that lead to the making of the group, which may say whether they made it.
    """
    return any(
        (_is_about_runs(test, frame, makers) or _asks_torch(test))
        and (event.effect == Effect.CONSTRUCT or id(node) not in known)
        for frame in event.stack
        for test, node in _decisions(frame)
    )


def _may_be_asked(event: Event, beyond: set[int]) -> bool:
    """Whether a run of one process may well not come to an operation, or comes to another one that needs the group.

    Parameters: ``beyond``, the tests around the making of the group that are not about the kind of run.
    """
    if any(_is_handed(outer, inner) for outer, inner in pairwise(event.stack)):
        return True
    for frame in event.stack:
        site = Site(frame.file, frame.node)
        if group_surely_exists(site):
            return True
        if any(not _is_about_else(test, frame) for test in _around(site) if id(test) not in beyond) or _may_leave(
            site, frame
        ):
            return True
        if any(
            isinstance(step, (cst.Try, cst.TryStar, cst.Match, cst.Lambda))
            for step in up_to_function(site.tree.ancestors(site.node))
        ):
            return True
    return False


def _is_handed(outer: Frame, inner: Frame) -> bool:
    """Whether a call does not name the function that it comes to: whoever chose that may have asked."""
    called = inner.function.rpartition(".")[2]
    if outer.call is None or not called.isidentifier() or called in _IMPLIED:
        return False
    return last_part(outer.call.func) != called


_IMPLIED = ("__init__", "__call__", "forward")
"""Methods that a call comes to without their names."""


def _decisions(frame: Frame) -> Iterator[tuple[cst.BaseExpression, cst.CSTNode]]:
    """The tests that decide, in a function, whether it comes to a place: around it, and of exits above it."""
    site = Site(frame.file, frame.node)
    yield from ((test, test) for test in _around(site))
    for statement in _exits(site):
        yield from ((test, statement) for test in _tests(statement))


def _around(site: Site) -> Iterator[cst.BaseExpression]:
    """The tests around a place."""
    below: cst.CSTNode = site.node
    for step in up_to_function(site.tree.ancestors(site.node)):
        if isinstance(step, (cst.If, cst.IfExp, cst.While)) and below is not step.test:
            yield step.test
        elif isinstance(step, cst.BooleanOperation) and below is step.right:
            yield step.left
        below = step


def _exits(site: Site) -> Iterator[cst.If]:
    """The statements above a place that may leave its function."""
    below: cst.CSTNode = site.node
    for step in up_to_function(site.tree.ancestors(site.node)):
        for statement in _above(step, below):
            if isinstance(statement, cst.If) and leaving([statement]) == "return":
                yield statement
        below = step


def _above(step: cst.CSTNode, below: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(step, (cst.Module, cst.IndentedBlock)):
        for statement in step.body:
            if statement is below:
                return
            yield statement


def _may_leave(site: Site, frame: Frame) -> bool:
    """Whether a run of one process may leave above a place whatever else is the case."""
    ways = (way for statement in _exits(site) for way in ways_out(statement))
    return any(not any(_is_about_else(test, frame) for test in way) for way in ways)


def _tests(statement: cst.If) -> Iterator[cst.BaseExpression]:
    """The tests of an ``if`` and its ``elif``."""
    step: cst.CSTNode | None = statement
    while isinstance(step, cst.If):
        yield step.test
        step = step.orelse


def _is_about_runs(test: cst.BaseExpression, frame: Frame, makers: Sequence[cst.CSTNode] = ()) -> bool:
    """Whether a test asks for the kind of run (a variable of the launcher, an option), and not for the group.

    What is called otherwise is known by its value: it holds a variable of the launcher, or what one of ``makers`` said.
    """
    words = set(words_in(test))
    if words & {*_AFTERWARDS, "__name__"}:
        return False
    if uniformity.names_ranks(test) or any(rank_words.PARALLEL.search(word.lower()) for word in words):
        return True
    return is_from_launcher(Site(frame.file, frame.node).moved(test), test, makers)


def _asks_torch(test: cst.BaseExpression) -> bool:
    return _AFTERWARDS[0] in words_in(test)


def _is_about_else(test: cst.BaseExpression, frame: Frame) -> bool:
    """Whether a test is a comparison that surely asks for something else: a step, an epoch, the name of the module."""
    if "__name__" in words_in(test):
        return True
    if _is_about_runs(test, frame) or _asks_torch(test):
        return False
    return (_is_plain(test) and not _tells_of_runs(test, frame)) or _is_named_else(test, frame)


def _tells_of_runs(test: cst.BaseExpression, frame: Frame) -> bool:
    """Whether a test asks for what the file sets, somewhere, by the kind of run: ``future=None`` for one process."""
    site = Site(frame.file, frame.node)
    given = given_under(site.module, {*words_in(test)})
    return any(_is_about_runs(one, frame) for node in given for one in _around(site.moved(node)))


def _is_plain(test: cst.BaseExpression) -> bool:
    return isinstance(test, cst.Comparison) and not any(nodes_of(test, cst.Call))


def _is_named_else(test: cst.BaseExpression, frame: Frame) -> bool:
    """Whether a test is a name for a comparison that asks for something else."""
    values = Site(frame.file, frame.node).values_of(without_not(test))
    return bool(values) and all(_is_plain(one) and not _is_about_runs(one, frame) for one in values)

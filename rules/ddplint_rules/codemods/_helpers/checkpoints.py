"""The saves of checkpoints that rank 0 makes alone, or should."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from ddplint.rule import Effect, Event, Guard, Reason, Walk
from ddplint.rule.code import Site, called, up_to_function
from ddplint.rule.facts import unguarded
from ddplint.rule.knowledge import load_knowledge
from ddplint_rules.fixes.rank_zero import guarded_by_rank_zero

_METHOD = "save_pretrained"
_ZERO = frozenset({0})


@dataclass(frozen=True, eq=False)
class Save:
    """A call that saves, in every way the program comes to it.

    ``path`` is the argument that names the target, if it is written out. ``guards`` are the conditions that leave the
    save to rank 0; none where all ranks come to it and should not.
    """

    site: Site
    events: tuple[Event, ...]
    path: cst.Arg | None
    guards: tuple[tuple[Guard, Event], ...] = ()


def saves(walks: Sequence[Walk]) -> Iterator[Save]:
    """The saves that are not verified yet, each call once."""
    found: dict[int, list[Event]] = {}
    for walk in walks:
        for event in walk.doing(Effect.WRITE):
            if _is_checkpoint(event) and not _is_told(event, walk):
                found.setdefault(id(event.node), []).append(event)
    wanted = _left_to_rank_zero(walks)
    for events in found.values():
        site = Site(events[0].file, events[0].node)
        path = _path_argument(events[0])
        if path is not None and _is_open_file(site, path.value):
            continue
        if all(event.ranks == _ZERO and event.by_some for event in events):
            guards = tuple((guard, event) for event in events for guard in own_guards(event))
            yield Save(site, tuple(events), path, guards)
        elif id(site.node) in wanted and all(event.by_all for event in events):
            yield Save(site, tuple(events), path)


def _left_to_rank_zero(walks: Sequence[Walk]) -> set[int]:
    """The calls (by identity) that all ranks make and that can be left to rank 0."""
    found = unguarded(walks)
    opened = [one.event for one in found]
    alone = (one for one in found if not one.use_stream_of(opened))
    return {id(one.event.node) for one in alone if guarded_by_rank_zero(one, found, walks).fix is not None}


def _is_checkpoint(event: Event) -> bool:
    known = event.name in load_knowledge().quiet("saves_models") or event.name.rpartition(".")[2] == _METHOD
    return known and event.call is not None and event.target is not None


def own_guards(event: Event) -> list[Guard]:
    """The conditions that leave an event to some ranks because of who they are."""
    return [guard for guard in event.guards if guard.reason is Reason.IDENTITY]


def _path_argument(event: Event) -> cst.Arg | None:
    call, row = event.node, event.api
    if not isinstance(call, cst.Call) or row is None or any(arg.star for arg in call.args):
        return None
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == row.path.name:
            return arg
    plain = [arg for arg in call.args if arg.keyword is None]
    return plain[row.path.position] if row.path.position is not None and row.path.position < len(plain) else None


def _is_open_file(site: Site, path: cst.BaseExpression) -> bool:
    """Whether a name stands for an open file: bound by a ``with``, or by a call of something called ``open``."""
    found = site.scopes.lookup(path.value, site.node) if isinstance(path, cst.Name) else None
    for binding in found[1] if found is not None else ():
        if isinstance(binding.node, (cst.With, cst.WithItem, cst.AsName)):
            return True
        if called(binding.value).rpartition(".")[2] == "open":
            return True
    return False


def _is_told(event: Event, walk: Walk) -> bool:
    """Whether a failure of the call is caught, and all ranks then meet and can raise: what is to be inserted."""
    for frame in event.stack:
        site = Site(frame.file, frame.node)
        for step in up_to_function(site.tree.ancestors(frame.node)):
            if isinstance(step, cst.Try) and step.handlers and _agreed_after(site, step, event, walk):
                return True
    return False


def _agreed_after(site: Site, tried: cst.Try, event: Event, walk: Walk) -> bool:
    """Whether all ranks come to a collective behind a ``try``, in its function, and a ``raise`` stands there too."""

    def behind(node: cst.CSTNode) -> bool:
        here = node in site.tree and site.moved(node).function is site.moved(tried).function
        return here and site.tree.order(node) > site.tree.order(tried) and not site.tree.contains(tried, node)

    meets = [one for one in walk.doing(Effect.COLLECTIVE) if behind(one.node)]
    return frozenset().union(*(one.ranks for one in meets)) == event.everyone and any(
        behind(node) for node in site.tree.nodes(cst.Raise)
    )

"""Loops that an object with a state watches over."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.everyday.keepers import Keeper, keeper
from tests.fuzz.everyday.numbers import everywhere, number
from tests.fuzz.idioms import Written, inert, op_text, quiet, simple


def watched_loop(draft: Draft, scope: Scope) -> Written:
    """An object is given a number each round, and decides over what follows or whether to go on."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    kept, index = keeper(draft), draft.fresh("epoch")
    name = draft.fresh("kept")
    draft.features.add("keeper")
    own = draft.maybe(60)
    given = number(draft, scope, index, own)
    feed, asked = (text.format(k=name, v=given.text) for text in (kept.feed, kept.asked))
    lines = [*given.lines, *([feed] if feed else [])]
    more, asked, own = _decided(draft, scope, kept, name, asked, given.own)
    body = [*(simple(draft, scope.inner(loop=True))[0]), *lines, *more]
    body += [f"if {asked}:", *indent(_consequence(draft, scope, own))]
    body += [op_text(draft, scope)] if draft.maybe(50) else []
    after = [op_text(draft, scope)] if draft.maybe(40) else []
    rounds = draft.pick((*(f"range({count})" for count in scope.counts), "range(4)", "range(5)"))
    return [f"{name} = {kept.make}", f"for {index} in {rounds}:", *indent(body), *after], scope


def _decided(draft: Draft, scope: Scope, kept: Keeper, name: str, asked: str, own: bool) -> tuple[Lines, str, bool]:
    """What all ranks agree on, where that is called for; the condition, and whether it is each rank's own."""
    if not own:
        return [], asked, False
    if kept.share and draft.maybe(60):
        return [kept.share.format(k=name)], asked, False
    if draft.maybe(40):
        return *everywhere(draft, scope, asked), False
    return [], asked, True


def _consequence(draft: Draft, scope: Scope, own: bool) -> Lines:
    inside = scope.inner(parted=own, loop=True)
    if not draft.may_communicate(inside):
        return quiet(draft, scope)
    way = draft.number(0, 5)
    if way <= 2:
        return [*inert(draft, scope), "break"]
    return ["continue"] if way == 3 else [op_text(draft, scope)]


def fed_by_some(draft: Draft, scope: Scope) -> Written:
    """An object that only some ranks give a number, or all do; it is asked later."""
    kept, name = keeper(draft), draft.fresh("noted")
    while not kept.feed:
        kept = keeper(draft)
    draft.features.add("keeper")
    feed, asked = (text.format(k=name, v="0.25") for text in (kept.feed, kept.asked))
    times = [feed] * draft.number(1, 2)
    if draft.maybe(50):
        lines = [f"if {cond.rank_condition(draft, scope)}:", *indent(times)]
        first = [feed]
        return [f"{name} = {kept.make}", *first, *lines], replace(scope, tainted=(*scope.tainted, f"({asked})"))
    return [f"{name} = {kept.make}", *times], replace(scope, flags=(*scope.flags, f"({asked})"))

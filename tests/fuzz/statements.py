"""Statements of the generated language: blocks, and what may stand in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz import idioms
from tests.fuzz.draft import Call, Draft, Lines, Scope, indent
from tests.fuzz.everyday import containers, endings, keywords, loaders, retries, sets, settings, watching
from tests.fuzz.idioms import Written, quiet, simple

Statement = Callable[[Draft, Scope], Written]


def block(draft: Draft, scope: Scope, most: int = 3) -> Lines:
    """One to ``most`` statements; at least one line."""
    lines: Lines = []
    for _ in range(draft.number(1, most)):
        written, scope = statement(draft, scope)
        lines += written
    return lines


def statement(draft: Draft, scope: Scope) -> Written:
    """Any statement that fits here."""
    draft.budget -= 1
    if draft.budget < 0 or scope.depth > 3:
        return simple(draft, scope)
    chosen = draft.pick(_TABLE)
    return chosen(draft, scope)


def rank_if(draft: Draft, scope: Scope) -> Written:
    """A guard."""
    condition = cond.rank_condition(draft, scope)
    inside = scope.inner(parted=True)
    lines = [f"if {condition}:", *indent(block(draft, inside))]
    if draft.maybe(30):
        lines += ["else:", *indent(block(draft, inside))]
    return lines, scope


def uniform_if(draft: Draft, scope: Scope) -> Written:
    """A branch on something unknown but the same everywhere."""
    lines = [f"if {cond.uniform(draft, scope)}:", *indent(block(draft, scope.inner()))]
    if draft.maybe(40):
        lines += ["else:", *indent(block(draft, scope.inner()))]
    return lines, scope


def settled_if(draft: Draft, scope: Scope) -> Written:
    """A condition written with the rank that is the same everywhere."""
    condition, _ = cond.settled(draft, scope)
    return [f"if {condition}:", *indent(block(draft, scope.inner()))], scope


def loop(draft: Draft, scope: Scope) -> Written:
    """A loop with the same number of rounds everywhere."""
    style = draft.number(0, 5)
    index = draft.fresh("i")
    if scope.rounds and draft.maybe(50):
        return [f"for {index} in {draft.pick(scope.rounds)}:", *indent(block(draft, scope.inner(loop=True)))], scope
    if style <= 1 or (style <= 3 and not scope.counts):
        rounds = draft.number(1, 3)
        inside = replace(scope.inner(loop=True), flags=(*scope.flags, f"{index} == {draft.number(0, 2)}"))
        rest = ["else:", *indent(block(draft, scope.inner(), 1))] if draft.maybe(15) else []
        return [f"for {index} in range({rounds}):", *indent(block(draft, inside)), *rest], scope
    inside = scope.inner(loop=True)
    if style <= 3:
        count = draft.pick(scope.counts)
        header = (f"for {index} in range({count}):", f"for {index}, _ in enumerate(range({count})):")
        return [draft.pick(header), *indent(block(draft, inside))], scope
    bound = draft.pick(scope.counts) if scope.counts and draft.maybe(50) else "2"
    if style == 4:
        return [f"{index} = 0", f"while {index} < {bound}:", *indent([f"{index} += 1", *block(draft, inside)])], scope
    body = [f"{index} += 1", f"if {index} > {bound}:", "    break", *block(draft, inside)]
    return [f"{index} = 0", "while True:", *indent(body)], scope


def try_finally(draft: Draft, scope: Scope) -> Written:
    """Cleanup that runs however the block is left."""
    body = block(draft, scope.inner(), 2)
    return [
        "try:",
        *indent(body),
        "finally:",
        *indent(block(draft, replace(scope.inner(), loop=False, leave="pass"), 1)),
    ], scope


def try_except(draft: Draft, scope: Scope) -> Written:
    """An error that is raised on purpose and caught."""
    raised = ["if {c}:", '    raise ValueError("stop")']
    by_rank = draft.maybe(40) and draft.may_communicate(scope.inner(parted=True))
    condition = cond.rank_condition(draft, scope) if by_rank else cond.uniform(draft, scope)
    lines = [line.format(c=condition) for line in raised]
    draft.features.add("caught-raise")
    body = [*lines, *block(draft, scope.inner(), 2)]
    handler = indent(block(draft, scope.inner(parted=by_rank), 1) if draft.maybe(50) else ["pass"])
    return ["try:", *indent(body), "except ValueError:", *handler], scope


def match_rank(draft: Draft, scope: Scope) -> Written:
    """A match on the rank."""
    inside = scope.inner(parted=True)
    pattern = draft.pick(("0", "0 | 2", "int() if {r} == 0"))
    rank = draft.pick(scope.rank)
    first = [f"case {pattern.format(r=rank)}:", *indent(block(draft, inside, 2))]
    other = ["case _:", *indent(block(draft, inside, 2))]
    return [f"match {rank}:", *indent([*first, *other])], scope


def match_uniform(draft: Draft, scope: Scope) -> Written:
    """A match on something the same everywhere."""
    if not scope.counts:
        return uniform_if(draft, scope)
    first = ["case 0 | 1:", *indent(block(draft, scope.inner(), 2))]
    other = ["case _:", *indent(block(draft, scope.inner(), 2))] if draft.maybe(60) else []
    return [f"match {draft.pick(scope.counts)}:", *indent([*first, *other])], scope


def closure(draft: Draft, scope: Scope) -> Written:
    """A nested function that sees the variables around it."""
    name = draft.fresh("inner")
    before = draft.budget
    communicates = draft.may_communicate(scope)
    if communicates:
        body = block(draft, replace(scope.inner(), loop=False, leave="return"), 2)
    else:
        body = quiet(draft, scope)
    draft.budget = min(before, draft.budget)
    lines = [f"def {name}():", *indent(body)]
    call = Call(f"{name}()", inert=not any(_communicates(line, scope) for line in body))
    return lines, replace(scope, calls=(*scope.calls, call))


def _communicates(line: str, scope: Scope) -> bool:
    return "dist." in line or any(text in line for text in scope.sync) or "()" in line


def managed(draft: Draft, scope: Scope) -> Written:
    """A context manager around a block."""
    if scope.managers and draft.may_communicate(scope):
        manager, apart = draft.pick(scope.managers)
        return [f"with {manager}:", *indent(block(draft, scope.inner(parted=apart), 2))], scope
    manager = draft.pick(("contextlib.nullcontext()", "contextlib.suppress(ValueError)"))
    return [f"with {manager}:", *indent(block(draft, scope.inner(), 2))], scope


_TABLE: tuple[Statement, ...] = (
    *(simple,) * 6,
    *(rank_if,) * 5,
    *(uniform_if,) * 3,
    *(idioms.complementary,) * 3,
    *(loop,) * 3,
    *(idioms.taint,) * 2,
    *(idioms.agree,) * 2,
    *(idioms.leave_uniform,) * 2,
    *(idioms.leave_by_rank,) * 2,
    *(idioms.expression,) * 2,
    *(idioms.alias,) * 2,
    *(idioms.group_op,) * 2,
    idioms.correlated,
    settled_if,
    idioms.uneven_loop,
    idioms.state,
    *(idioms.best_so_far,) * 2,
    try_finally,
    try_except,
    match_rank,
    match_uniform,
    idioms.chosen_callable,
    closure,
    managed,
    *(watching.watched_loop,) * 4,
    *(watching.fed_by_some,) * 2,
    *(keywords.keyword_call,) * 3,
    *(retries.retry,) * 3,
    sets.gathered_set,
    sets.filling_set,
    sets.noted_set,
    *(containers.filled_dict,) * 2,
    containers.filled_list,
    *(settings.settings,) * 2,
    *(endings.while_flag,) * 2,
    *(endings.gate,) * 2,
    endings.swallowed,
    loaders.endless,
)

"""Statements of the generated language. Each function writes one idiom and returns its lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Call, Draft, Lines, Scope, indent

Written = tuple[Lines, Scope]
Statement = Callable[[Draft, Scope], Written]

OPS = (
    "dist.barrier()",
    "dist.all_reduce(torch.ones(1))",
    "dist.broadcast(torch.ones(1), src=0)",
    "dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))",
    "dist.all_gather_object([None] * 4, {r})",
    "dist.broadcast_object_list([{r}], src=0)",
)
INERT = ('print("step")', "pass", "total = 1", "print({r})", "values = [1, 2, 3]")


def op_text(draft: Draft, scope: Scope) -> str:
    """A collective on the world group."""
    if draft.maybe(40):
        return draft.pick(scope.sync)
    return draft.pick(OPS).format(r=draft.pick(scope.rank))


def inert(draft: Draft, scope: Scope) -> Lines:
    """A statement that communicates nothing."""
    calls = [call.text for call in scope.calls if call.inert]
    if calls and draft.maybe(40):
        return [draft.pick(calls)]
    return [draft.pick(INERT).format(r=draft.pick(scope.rank))]


def block(draft: Draft, scope: Scope, most: int = 3) -> Lines:
    """One to ``most`` statements; at least one line."""
    lines: Lines = []
    for _ in range(draft.number(1, most)):
        written, scope = statement(draft, scope)
        lines += written
    return lines


def quiet(draft: Draft, scope: Scope) -> Lines:
    """One or two statements that communicate nothing."""
    return [line for _ in range(draft.number(1, 2)) for line in inert(draft, scope)]


def statement(draft: Draft, scope: Scope) -> Written:
    """Any statement that fits here."""
    draft.budget -= 1
    if draft.budget < 0 or scope.depth > 3:
        return simple(draft, scope)
    chosen = draft.pick(_TABLE)
    return chosen(draft, scope)


def simple(draft: Draft, scope: Scope) -> Written:
    """A collective or a call of project code where allowed, else something inert."""
    if draft.maybe(30) or not draft.may_communicate(scope):
        return inert(draft, scope), scope
    calls = [call for call in scope.calls if not call.inert]
    if calls and draft.maybe(50):
        call = draft.pick(calls)
        if not call.parts or draft.may_communicate(scope.inner(parted=True)):
            return [call.text], scope
    return [op_text(draft, scope)], scope


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


def complementary(draft: Draft, scope: Scope) -> Written:
    """Both sides of a rank condition issue the same kinds, in one statement or two."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("complementary")
    yes, no = cond.rank_pair(draft, scope)
    ops = [op_text(draft, scope) for _ in range(draft.number(1, 2))]
    first = [*inert(draft, scope), *ops] if draft.maybe(50) else [*ops, *inert(draft, scope)]
    style = draft.number(0, 3)
    if style == 0:
        return [f"if {yes}:", *indent(first), "else:", *indent(ops)], scope
    if style == 1:
        return [f"if {yes}:", *indent(first), f"if {no}:", *indent(ops)], scope
    if style == 2:
        return [f"if {yes}:", *indent(first), f"elif {no}:", *indent(ops)], scope
    return [f"{ops[0]} if {yes} else {ops[0]}"], scope


def correlated(draft: Draft, scope: Scope) -> Written:
    """The same uniform condition twice, each time with one side of a rank condition."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("correlated")
    flag = cond.uniform(draft, scope)
    yes, no = cond.rank_pair(draft, scope)
    op = op_text(draft, scope)
    if draft.maybe(50):
        lines = [f"if {flag} and {cond.atom(yes)}:", *indent([op]), *inert(draft, scope)]
        return [*lines, f"if {flag} and {cond.atom(no)}:", *indent([op])], scope
    lines = [f"if {flag}:", *indent([f"if {yes}:", *indent([op])]), *inert(draft, scope)]
    return [*lines, f"if {flag}:", *indent([f"if {no}:", *indent([op])])], scope


def expression(draft: Draft, scope: Scope) -> Written:
    """A collective hidden in an expression statement."""
    parted = draft.maybe(50)
    condition = cond.atom(cond.rank_condition(draft, scope) if parted else cond.uniform(draft, scope))
    if not draft.may_communicate(scope.inner(parted=parted)):
        return [f"{condition} and print({draft.pick(scope.rank)})"], scope
    op = op_text(draft, scope)
    if scope.whens and draft.maybe(50):
        return [f"{draft.pick(scope.whens)}({condition}, dist.barrier)"], scope
    shapes = (
        "{c} and {o}",
        "{o} if {c} else None",
        "{c} or {o}",
        "None if {c} else {o}",
        "[{o} for _ in range(2) if {c}]",
    )
    return [draft.pick(shapes).format(c=condition, o=op)], scope


def loop(draft: Draft, scope: Scope) -> Written:
    """A loop with the same number of rounds everywhere."""
    style = draft.number(0, 5)
    index = draft.fresh("i")
    if scope.rounds and draft.maybe(50):
        return [f"for {index} in {draft.pick(scope.rounds)}:", *indent(block(draft, scope.inner(loop=True)))], scope
    if style <= 1 or (style <= 3 and not scope.counts):
        rounds = draft.number(1, 3)
        inside = replace(scope.inner(loop=True), flags=(*scope.flags, f"{index} == {draft.number(0, 2)}"))
        return [f"for {index} in range({rounds}):", *indent(block(draft, inside))], scope
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


def uneven_loop(draft: Draft, scope: Scope) -> Written:
    """A loop whose rounds depend on the rank; sometimes the counts come out even."""
    rank = draft.pick(scope.rank)
    item = draft.fresh("item")
    even = draft.may_communicate(scope) and draft.maybe(40)
    communicate = even or draft.may_communicate(scope.inner(parted=True))
    ranges = (
        (f"range({rank}, 8, 4)", f"[1, 2, 3, 4][{rank}::4]")
        if even
        else (
            *(f"{shard}([1, 2, 3, 4, 5])" for shard in scope.shards),
            f"range({rank}, 6, 4)",
            f"[1, 2, 3, 4, 5][{rank}::4]",
            f"range({rank})",
            f"range({rank} + 1)",
            f"range(2 if {cond.rank_pair(draft, scope)[0]} else 1)",
        )
    )
    draft.features.add("rank-rounds")
    body = [op_text(draft, scope)] if communicate else quiet(draft, scope)
    return [f"for {item} in {draft.pick(ranges)}:", *indent(body)], scope


def leave_uniform(draft: Draft, scope: Scope) -> Written:
    """An early exit that all ranks take together."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    return [f"if {cond.uniform(draft, scope)}:", *indent([_exit(draft, scope)])], scope


def leave_by_rank(draft: Draft, scope: Scope) -> Written:
    """An early exit of some ranks; harmless only where nothing collective follows."""
    if not draft.may_communicate(scope.inner(parted=True)):
        return inert(draft, scope), scope
    condition = cond.rank_condition(draft, scope)
    return [f"if {condition}:", *indent([*inert(draft, scope), _exit(draft, scope)])], scope


def _exit(draft: Draft, scope: Scope) -> str:
    if scope.loop and draft.maybe(60):
        return draft.pick(("continue", "break"))
    return scope.leave


def taint(draft: Draft, scope: Scope) -> Written:
    """A variable that differs between ranks."""
    name = draft.fresh("flag")
    condition = cond.rank_condition(draft, scope)
    style = draft.number(0, 4)
    if style == 0:
        lines = [f"{name} = {condition}"]
    elif style == 1:
        lines = [f"{name} = False", f"if {condition}:", *indent([f"{name} = True"])]
    elif style == 2:
        lines = [f"if {condition}:", *indent([f"{name} = 1"]), "else:", *indent([f"{name} = 0"])]
    elif style == 3:
        lines = [f'{name} = "main" if {condition} else "other"']
        return lines, replace(scope, tainted=(*scope.tainted, f'({name} == "main")'))
    else:
        lines = [f"{name} = None", f"if {condition}:", *indent([f'{name} = "log"'])]
        return lines, replace(scope, tainted=(*scope.tainted, f"({name} is not None)"))
    return lines, replace(scope, tainted=(*scope.tainted, name))


def agree(draft: Draft, scope: Scope) -> Written:
    """A flag that differs between ranks is agreed on, then decides."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("agreed-flag")
    name = draft.fresh("stop")
    condition = cond.rank_condition(draft, scope)
    style = draft.number(0, 3)
    if style == 0:
        lines = [f"{name} = torch.tensor([1.0 if {condition} else 0.0])", f"dist.all_reduce({name})"]
        agreed = f"({name}.item() > 0)"
    elif style == 1:
        lines = [f"{name} = [bool({condition})]", f"dist.broadcast_object_list({name}, src=0)"]
        agreed = f"{name}[0]"
    elif style == 2:
        lines = [f"{name} = [None] * 4", f"dist.all_gather_object({name}, bool({condition}))"]
        agreed = f"any({name})"
    else:
        lines = [f"{name} = torch.tensor([float(bool({condition}))])", f"dist.broadcast({name}, src=0)"]
        agreed = f"(int({name}) == 1)"
    return lines, replace(scope, flags=(*scope.flags, agreed))


def state(draft: Draft, scope: Scope) -> Written:
    """A variable that carries a uniform decision to a later statement."""
    name = draft.fresh("mode")
    flag = cond.uniform(draft, scope)
    lines = [f'{name} = "a"', f"if {flag}:", *indent([f'{name} = "b"'])]
    return lines, replace(scope, flags=(*scope.flags, f'({name} == "b")'))


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


def alias(draft: Draft, scope: Scope) -> Written:
    """Another name for a barrier."""
    name = draft.fresh("sync")
    text = draft.pick(
        (
            "dist.barrier",
            "lambda: dist.barrier()",
            "functools.partial(dist.barrier)",
            'getattr(dist, "barrier")',
            '{"sync": dist.barrier}["sync"]',
        )
    )
    return [f"{name} = {text}"], replace(scope, sync=(*scope.sync, f"{name}()"))


def chosen_callable(draft: Draft, scope: Scope) -> Written:
    """A callable picked by a condition, then called."""
    name = draft.fresh("action")
    if not draft.may_communicate(scope.inner(parted=True)):
        return [f"{name} = print if {cond.rank_condition(draft, scope)} else (lambda: None)", f"{name}()"], scope
    condition = cond.rank_condition(draft, scope)
    other = draft.pick(("dist.barrier", "(lambda: None)", "print"))
    return [f"{name} = dist.barrier if {condition} else {other}", f"{name}()"], scope


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


def group_op(draft: Draft, scope: Scope) -> Written:
    """A collective on a sub-group, by its members."""
    if not scope.groups or not draft.may_communicate(scope):
        return simple(draft, scope)
    draft.features.add("group")
    group = draft.pick(scope.groups)
    ops = ("dist.barrier(group={g})", "dist.all_reduce(torch.ones(1), group={g})")
    op = draft.pick(ops).format(g=group.name)
    if draft.maybe(20) and draft.may_communicate(scope.inner(parted=True)):
        return [f"if {cond.rank_pair(draft, scope)[0]}:", *indent([op])], scope
    if draft.maybe(20):
        return [op], scope
    return [f"if {cond.membership(draft, scope, group)}:", *indent([op])], scope


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
    *(complementary,) * 3,
    *(loop,) * 3,
    *(taint,) * 2,
    *(agree,) * 2,
    *(leave_uniform,) * 2,
    *(leave_by_rank,) * 2,
    *(expression,) * 2,
    *(alias,) * 2,
    *(group_op,) * 2,
    correlated,
    settled_if,
    uneven_loop,
    state,
    try_finally,
    try_except,
    match_rank,
    match_uniform,
    chosen_callable,
    closure,
    managed,
)

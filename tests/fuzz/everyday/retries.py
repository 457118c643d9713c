"""Work that is tried again where it fails."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.idioms import Written, inert, op_text, quiet, simple


def retry(draft: Draft, scope: Scope) -> Written:
    """A loop of attempts; the last failure is raised, or told, or forgotten."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("retry")
    index = draft.fresh("attempt")
    failing, parted = _failing(draft, scope, index)
    inside = scope.inner(parted=parted, loop=True)
    work = [op_text(draft, scope)] if draft.may_communicate(inside) else quiet(draft, scope)
    body = [*work, *failing] if draft.maybe(40) else [*failing, *work]
    done = draft.pick((["break"], ["break"], ["print(1)", "break"]))
    tries = draft.number(2, 3)
    handler = _handler(draft, inside, index, tries)
    way = draft.number(0, 2)
    if way == 0:
        tried = ["try:", *indent([*body, *done]), "except ValueError:", *indent(handler)]
    elif way == 1:
        tried = ["try:", *indent(body), "except ValueError:", *indent([*handler, "continue"]), *done]
    else:
        tried = ["try:", *indent(body), "except ValueError as error:", *indent(handler), "else:", *indent(done)]
    rest = ["else:", *indent(_given_up(draft))] if draft.maybe(30) else []
    return [f"for {index} in range({tries}):", *indent(tried), *rest], scope


def _failing(draft: Draft, scope: Scope, index: str) -> tuple[Lines, bool]:
    """What may fail, and whether it may on one rank alone."""
    parted = draft.maybe(50)
    if parted:
        condition = cond.rank_condition(draft, scope)
    else:
        condition = draft.pick(
            (f"{index} < 1", f"{index} == 0 and {cond.uniform(draft, scope)}", cond.uniform(draft, scope))
        )
    if draft.maybe(25):
        name = draft.fresh("load")
        body = ["    if broken:", '        raise ValueError("stop")', "    return 1"]
        # what a module without a word of ranks raises is not followed
        placed = draft.place(name, [f"def {name}(broken):", *body], here=True)
        return [f"{placed}({condition})"], parted
    return [f"if {condition}:", '    raise ValueError("stop")'], parted


def _handler(draft: Draft, scope: Scope, index: str, tries: int) -> Lines:
    lines = quiet(draft, scope) if draft.maybe(40) else []
    if draft.maybe(50):
        lines = [
            f"if {index} == {tries - 1}:",
            f"    {draft.pick(('raise', 'raise RuntimeError(' + chr(34) + 'stop' + chr(34) + ')'))}",
            *lines,
        ]
    if draft.maybe(20) and draft.may_communicate(scope):
        lines += simple(draft, scope)[0]
    return lines or [draft.pick(("pass", "print(1)"))]


def _given_up(draft: Draft) -> Lines:
    return [draft.pick(('raise RuntimeError("stop")', 'print("given up")'))]


def retrying(draft: Draft, scope: Scope) -> Written:
    """A function that tries what it is given again; with it, another way to meet."""
    name = draft.fresh("with_retry")
    last = draft.pick((["raise"], ["return None"], ['raise RuntimeError("stop")']))
    handler = ["if attempt == attempts - 1:", *indent(last), "print(attempt)"]
    body = [
        "for attempt in range(attempts):",
        *indent(["try:", "    return fn()", "except ValueError:", *indent(handler)]),
    ]
    placed = draft.place(name, [f"def {name}(fn, attempts=3):", *indent(body)])
    ways = ("dist.barrier", "lambda: dist.all_reduce(torch.ones(1))", "dist.barrier, attempts=2")
    return [], replace(scope, sync=(*scope.sync, f"{placed}({draft.pick(ways)})"))

"""Loops that a flag ends, functions that end early in functions they call, and blocks that swallow what they raise."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.everyday.numbers import everywhere
from tests.fuzz.idioms import Written, inert, op_text, quiet, simple


def while_flag(draft: Draft, scope: Scope) -> Written:
    """A loop that goes on while a flag says so; the flag is each rank's own, or agreed on."""
    if draft.locals_left <= 0 or (scope.parted and not draft.may_communicate(scope)):
        return inert(draft, scope), scope
    draft.features.add("while-flag")
    count, flag = draft.fresh("step"), draft.fresh("running")
    condition = f"{count} < 3 and {cond.local(draft)}"
    if draft.maybe(30):
        condition = f"{count} < 3 and not {cond.atom(cond.rank_condition(draft, scope))}"
    own = draft.may_communicate(scope.inner(parted=True)) and draft.maybe(60)
    lines, agreed = ([], condition) if own else everywhere(draft, scope, f"({condition})")
    body = [f"{count} += 1", *simple(draft, replace(scope.inner(), loop=False))[0], *lines]
    if draft.maybe(30):
        return [f"{count} = 0", "while True:", *indent([*body, f"if not ({agreed}):", "    break"])], scope
    return [f"{count} = 0", f"{flag} = True", f"while {flag}:", *indent([*body, f"{flag} = {agreed}"])], scope


def gate(draft: Draft, scope: Scope) -> Written:
    """A function that asks another whether to go on, and is left early where not; what it says decides."""
    draft.features.add("gate")
    inner, outer = draft.fresh("ready"), draft.fresh("prepare")
    asks = draft.pick(
        (
            ["if value:", "    return True", "return False"],
            ["if not value:", "    return False", "return True"],
            ["return bool(value)"],
        )
    )
    work = [op_text(draft, Scope(rank=("dist.get_rank()",)))] if not scope.parted and draft.maybe(40) else ["print(1)"]
    deeper = draft.pick(
        (f"if not {inner}(value):\n    return False", f"found = {inner}(value)\nif not found:\n    return found")
    ).split("\n")
    draft.place(inner, [f"def {inner}(value):", *indent(asks)])
    lines = [f"def {outer}(value):", *indent([*deeper, *work, "return True"])]
    if inner in draft.imported:
        draft.module += ["", "", *lines]
        draft.imported.append(outer)
    else:
        draft.head += ["", "", *lines]
    parted = draft.maybe(50) and (work == ["print(1)"] or draft.may_communicate(scope.inner(parted=True)))
    value = cond.rank_condition(draft, scope) if parted else cond.uniform(draft, scope)
    inside = scope.inner(parted=parted)
    if not draft.may_communicate(inside):
        return [f"if {outer}({value}):", *indent(quiet(draft, scope))], scope
    if draft.maybe(50):
        return [f"if not {outer}({value}):", *indent([*inert(draft, scope), scope.leave])], scope
    return [f"if {outer}({value}):", *indent(simple(draft, inside)[0])], scope


def swallowed(draft: Draft, scope: Scope) -> Written:
    """A block of a context manager of the project's own that swallows errors, or does not."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("manager")
    name = draft.fresh("Tolerant")
    says = draft.pick(
        ("kind is ValueError", "kind is not None and issubclass(kind, ValueError)", "isinstance(value, ValueError)")
    )
    leave = ["self.failed = kind is not None", f"return {says}"]
    methods = ["def __init__(self):", "    self.failed = False", "", "def __enter__(self):", "    return self", ""]
    placed = draft.place(
        name, [f"class {name}:", *indent([*methods, "def __exit__(self, kind, value, trace):", *indent(leave)])]
    )
    parted = draft.may_communicate(scope.inner(parted=True)) and draft.maybe(60)
    condition = cond.rank_condition(draft, scope) if parted else cond.uniform(draft, scope)
    variable = draft.fresh("tolerant")
    body = [f"if {condition}:", '    raise ValueError("stop")', *simple(draft, scope.inner())[0]]
    lines = [f"with {placed}() as {variable}:", *indent(body)]
    asked = f"{variable}.failed"
    if parted:
        return lines, replace(scope, tainted=(*scope.tainted, asked))
    return lines, replace(scope, flags=(*scope.flags, asked))


def managers(draft: Draft, scope: Scope) -> Written:
    """Context managers of the project's own: one that only counts, one that meets the others, one that does if told."""
    name = draft.fresh("Section")
    meets = draft.number(0, 2)
    init = ["def __init__(self, meet=False):", "    self.meet = meet", "    self.open = 0", ""]
    enter = ["def __enter__(self):", "    self.open += 1", "    return self", ""]
    leave: Lines = {
        0: ["self.open -= 1", "return False"],
        1: ["self.open -= 1", "dist.barrier()"],
        2: ["self.open -= 1", "if self.meet and kind is None:", "    dist.barrier()"],
    }[meets]
    placed = draft.place(
        name, [f"class {name}:", *indent([*init, *enter, "def __exit__(self, kind, value, trace):", *indent(leave)])]
    )
    made = f"{placed}({draft.pick(('', 'True', 'meet=True')) if meets == 2 else ''})"
    return [], replace(scope, managers=(*scope.managers, (made, False)))

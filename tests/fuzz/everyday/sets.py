"""Sets: of what all ranks have, of what was seen, of ranks."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Scope, indent
from tests.fuzz.idioms import Written, inert, op_text, quiet


def gathered_set(draft: Draft, scope: Scope) -> Written:
    """How many different answers all ranks gave."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("set")
    name = draft.fresh("answers")
    several = (f"len(set({name})) > 1", f"len({{one for one in {name}}}) != 1", f"True in set({name})")
    if draft.locals_left > 0 and draft.maybe(50):
        what, asks = cond.local(draft), (*several, f"len({{*{name}}}) == 1")
    elif draft.maybe(60):
        what, asks = draft.pick((cond.rank_condition(draft, scope), draft.pick(scope.rank))), several
    else:
        # How many different answers there are is always one here, which is not known: seed 4288 was a false alarm.
        what, asks = cond.uniform(draft, scope), (f"True in set({name})",)
    lines = [f"{name} = [None] * 4", f"dist.all_gather_object({name}, {what})"]
    asked = draft.pick(asks)
    if draft.maybe(30):
        lines += [f"if {asked}:", '    raise RuntimeError("stop")']
        return lines, scope
    return lines, replace(scope, flags=(*scope.flags, f"({asked})"))


def filling_set(draft: Draft, scope: Scope) -> Written:
    """A loop that passes by what it has seen."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("set")
    seen, item = draft.fresh("seen"), draft.fresh("key")
    first = [f"if {item} in {seen}:", "    continue", f"{seen}.add({item})"]
    if draft.maybe(50):
        first = [f"if {item} not in {seen}:", f"    {seen}.add({item})", "else:", "    continue"]
    # a set that holds another number on each rank, asked for a number that all have, is not yet seen
    keys = draft.pick(('["a", "b", "a"]', "range(3)", "(1, 1)"))
    start = draft.pick((f"{seen} = set()", f"{seen} = {{2}}", f"{seen} = set([1])"))
    return [start, f"for {item} in {keys}:", *indent([*first, op_text(draft, scope)])], scope


def noted_set(draft: Draft, scope: Scope) -> Written:
    """A set that some ranks fill, or all do; whether it holds something is asked later."""
    draft.features.add("set")
    name = draft.fresh("notes")
    start = draft.pick((f"{name} = set()", f"{name} = set()", f'{name} = {{"begin"}}'))
    asked = draft.pick(
        (f'("end" in {name})', f"(len({name}) > 1)", f'({name} >= {{"end"}})', f'({{"end", "other"}} & {name})')
    )
    more = draft.pick((f'{name}.add("end")', f'{name} |= {{"end", "more"}}', f'{name}.update(["end", "more"])'))
    if draft.maybe(60):
        lines = [start, f"if {cond.rank_condition(draft, scope)}:", f"    {more}", *quiet(draft, scope)]
        return lines, replace(scope, tainted=(*scope.tainted, asked))
    return [start, f"if {cond.uniform(draft, scope)}:", f"    {more}"], replace(scope, flags=(*scope.flags, asked))

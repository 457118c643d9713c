"""Dictionaries and lists that ranks fill alike or each in its own way, gone through by what is made of them."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.idioms import Written, inert, op_text, quiet

_MORE = (
    '{d}["more"] = 2',
    "{d}.update(more=2)",
    '{d}.update({{"more": 2}})',
    '{d} |= {{"more": 2}}',
    '{d}.setdefault("more", 2)',
)
_AS_MANY = (
    '{d}["first"] = 2',
    "{d}.update(first=2)",
    '{d} |= {{"first": 2}}',
    '{d}.setdefault("first", 2)',
    '{d}.pop("other", None)',
)
_ANYWAY = ('{d}["more"] = 3', '{d}.setdefault("more", 3)', "{d}.update(more=3)", '{d}.pop("more", None)', "{d}.clear()")
"""What makes the keys the same on all ranks again."""

_VIEWS = (
    "{d}",
    "sorted({d})",
    "list({d})",
    "{d}.keys()",
    "{d}.values()",
    "{d}.items()",
    "list({d}.items())",
    "enumerate({d})",
    "zip({d}, range(9))",
    "{d}.copy()",
    "[one for one in {d}]",
    "{{one: 1 for one in {d}}}",
    "reversed(list({d}))",
    "dict({d})",
    "{{**{d}}}",
    "[*{d}]",
    "tuple({d})",
    "set({d})",
    "range(len({d}))",
    "filter(None, {d})",
    "map(str, {d})",
)
_LONGER = ("{d}.append(2)", "{d}.extend([2])", "{d} += [2]", "{d}.insert(0, 2)")
_LISTED = ("{d}", "sorted({d})", "list({d})", "enumerate({d})", "[one for one in {d}]", "[*{d}]", "reversed({d})")


def filled_dict(draft: Draft, scope: Scope) -> Written:
    """A dictionary that some ranks, or all, fill; then one operation for each of its elements."""
    name = draft.fresh("held")
    even = draft.may_communicate(scope) and draft.maybe(50)
    lines = [f'{name} = {{"first": 1}}']
    again = even and draft.maybe(50)
    fill = draft.pick(_MORE if again or not even else _AS_MANY).format(d=name)
    lines += _by_some(draft, scope, fill)
    if again:
        lines.append(draft.pick(_ANYWAY).format(d=name))
    view = draft.pick(_VIEWS).format(d=name)
    inside = replace(scope, tainted=(*scope.tainted, f'("more" in {name})', f"(len({name}) > 1)"))
    return _gone_through(draft, scope, lines, view, even), scope if even else inside


def filled_list(draft: Draft, scope: Scope) -> Written:
    """The same with a list, which may be cut to a length that all ranks have."""
    name = draft.fresh("found")
    even = draft.may_communicate(scope) and draft.maybe(40)
    lines = [f"{name} = [1]", *_by_some(draft, scope, draft.pick(_LONGER).format(d=name))]
    if even:
        lines.append(draft.pick(("{d} = {d}[:1]", "{d}.clear()", "{d} = [1, 2]")).format(d=name))
    return _gone_through(draft, scope, lines, draft.pick(_LISTED).format(d=name), even), scope


def _by_some(draft: Draft, scope: Scope, fill: str) -> Lines:
    draft.features.add("filled")
    condition = cond.rank_pair(draft, scope)[0]
    if draft.locals_left > 0 and draft.maybe(10):
        # Not a file: that all ranks see the same one is taken for granted, and not followed into keys (seed 211).
        draft.features.add("rank-local")
        draft.locals_left -= 1
        condition = "random.random() < 0.5"
    return [f"if {condition}:", *indent([*inert(draft, scope), fill])]


def _gone_through(draft: Draft, scope: Scope, lines: Lines, view: str, even: bool) -> Lines:
    communicate = even or draft.may_communicate(scope.inner(parted=True))
    body = [op_text(draft, scope)] if communicate else quiet(draft, scope)
    return [*lines, f"for {draft.fresh('part')} in {view}:", *indent(body)]

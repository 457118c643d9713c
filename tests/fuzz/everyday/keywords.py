"""Functions with options given by keyword, and dictionaries of options that are filled on the way."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Keyworded, Lines, Scope, indent
from tests.fuzz.idioms import Written, inert, op_text


def keyworded(draft: Draft, scope: Scope) -> tuple[Keyworded, Scope]:
    """A function that communicates unless an option says otherwise."""
    if scope.keyworded and draft.maybe(50):
        return draft.pick(scope.keyworded), scope
    name, quiet = draft.fresh(draft.pick(("finish", "publish", "announce"))), draft.maybe(50)
    key = draft.pick(("quiet", "dry")) if quiet else draft.pick(("sync", "wait"))
    op = op_text(draft, Scope(rank=("dist.get_rank()",)))
    placed = draft.place(name, [f"def {name}(label, **options):", *indent(_body(draft, key, quiet, op))])
    made = Keyworded(placed, key, quiet)
    if draft.maybe(30):
        made = _handing_on(draft, made)
    return made, replace(scope, keyworded=(*scope.keyworded, made))


def _body(draft: Draft, key: str, quiet: bool, op: str) -> Lines:
    asked = draft.pick(
        (
            f'options.get("{key}", {not quiet})',
            f'options.pop("{key}", {not quiet})',
            f'options.setdefault("{key}", {not quiet})',
            f'(options["{key}"] if "{key}" in options else {not quiet})',
        )
    )
    if draft.maybe(50):
        return [f"if {'not ' if quiet else ''}{asked}:", f"    {op}", "return label"]
    return [f"chosen = {asked}", f"if {'chosen' if quiet else 'not chosen'}:", "    return None", op, "return label"]


def _handing_on(draft: Draft, inner: Keyworded) -> Keyworded:
    name = draft.fresh("finish_all")
    called = inner.name.removeprefix("helpers.")
    body = draft.pick(
        (
            [f'return {called}("inner", **kwargs)'],
            ['kwargs = {"label": "inner", **kwargs}', f"return {called}(**kwargs)"],
            ['kwargs.pop("unused", None)', f'return {called}("inner", **kwargs)'],
        )
    )
    lines = ["", "", f"def {name}(**kwargs):", *indent(body)]
    if called in draft.imported:
        draft.module += lines
        draft.imported.append(name)
    else:
        draft.head += lines
    return replace(inner, name=name)


def keyword_call(draft: Draft, scope: Scope) -> Written:
    """A call with options that are given, left out, or gathered in a dictionary before."""
    if scope.parted and not draft.may_communicate(scope):
        return inert(draft, scope), scope
    draft.features.add("keywords")
    called, scope = keyworded(draft, scope)
    parted = draft.may_communicate(scope.inner(parted=True)) and draft.maybe(60)
    value = cond.rank_condition(draft, scope) if parted else draft.pick(("True", "False", cond.uniform(draft, scope)))
    first = [] if called.name.rpartition(".")[2].startswith("finish_all") else ['"run"']
    if draft.maybe(40):
        return [f"{called.name}({', '.join([*first, f'{called.key}={value}'])})"], scope
    options = draft.fresh("options")
    lines = _gathered(draft, parted, options, called.key, value)
    return [*lines, f"{called.name}({', '.join([*first, f'**{options}'])})"], scope


def _gathered(draft: Draft, parted: bool, options: str, key: str, value: str) -> Lines:
    style = draft.number(0, 5)
    chosen = draft.pick(("True", "False"))
    start = draft.pick(
        (
            f"{options} = {{}}",
            f"{options} = dict()",
            f'{options} = {{"{key}": {chosen}}}',
            f"{options} = dict({key}={chosen})",
        )
    )
    if style == 0:
        return [f'{options} = {{"{key}": {value}}}']
    if style == 1:
        return [start, f'{options}["{key}"] = {value}']
    if parted and style in (2, 4):
        style = 3  # a key that some ranks lack, handed on from function to function, is not always seen yet
    if style == 2:
        return [start, f"if {value}:", f'    {options}["{key}"] = {draft.pick(("True", "False"))}']
    if style == 3:
        return [start, f"{options}.update({key}={value})"]
    if style == 4:
        return [f"{options} = dict({key}={chosen})", f"if {value}:", f'    {options}.pop("{key}")']
    return [start, f'{options}.setdefault("{key}", {value})']

"""Configurations: data classes and their like, whole or changed on the way."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.idioms import Written

_KINDS = ("dataclass", "dataclass", "frozen", "tuple", "plain")


def settings(draft: Draft, scope: Scope) -> Written:
    """An object of options, made with something uniform or of the rank, perhaps copied with a change."""
    draft.features.add("settings")
    kind = draft.pick(_KINDS)
    name, variable = draft.fresh("Settings"), draft.fresh("settings")
    placed = draft.place(name, _definition(draft, kind, name))
    parted = draft.maybe(50)
    value = cond.rank_condition(draft, scope) if parted else cond.uniform(draft, scope)
    lines = [f"{variable} = {placed}(save={value})"]
    way = draft.number(0, 3)
    if way == 1:
        lines = [f"{variable} = {placed}()", *_changed(kind, variable, value)]
    elif way == 2 and kind in ("dataclass", "plain"):
        lines = [f"{variable} = {placed}()", f"if {value}:", f"    {variable}.save = True"]
    elif way == 3:
        lines = [f'{variable} = {placed}(**{{"save": {value}, "every": 2}})']
    asked = draft.pick((f"{variable}.save", f"{variable}.active", f"({variable}.save and {variable}.every > 0)"))
    if parted:
        return lines, replace(scope, tainted=(*scope.tainted, asked))
    return lines, replace(scope, flags=(*scope.flags, asked))


def _changed(kind: str, variable: str, value: str) -> Lines:
    if kind == "tuple":
        return [f"{variable} = {variable}._replace(save={value})"]
    if kind == "plain":
        return [f"{variable}.save = {value}"]
    return [f"{variable} = dataclasses.replace({variable}, save={value})"]


def _definition(draft: Draft, kind: str, name: str) -> Lines:
    fields = ["every: int = 1", "save: bool = False"]
    active = ["", "@property", "def active(self):", "    return bool(self.save) and self.every > 0"]
    if kind == "tuple":
        return [f"class {name}(typing.NamedTuple):", *indent([*fields, *active])]
    if kind == "plain":
        start = ["def __init__(self, every=1, save=False):", "    self.every = every", "    self.save = save"]
        return [f"class {name}:", *indent([*start, *active])]
    more = ["names: list = dataclasses.field(default_factory=list)"] if draft.maybe(40) else []
    late = ["", "def __post_init__(self):", "    assert self.every > 0"] if draft.maybe(30) else []
    decorator = "@dataclasses.dataclass" + ("(frozen=True)" if kind == "frozen" else "")
    return [decorator, f"class {name}:", *indent([*fields, *more, *late, *active])]

"""Spellings of conditions: those that tell ranks apart, with their complement, and those the same everywhere."""

from __future__ import annotations

from tests.fuzz.draft import Draft, Group, Scope

# {r} is an expression for the global rank. The second of a pair is the complement of the first.
MAIN = (
    ("{r} == 0", "{r} != 0"),
    ("not {r}", "{r}"),
    ("{r} in (0,)", "{r} not in (0,)"),
    ("{r} in [-1, 0]", "{r} > 0"),
    ("{r} < 1", "{r} >= 1"),
    ("0 == {r}", "not {r} == 0"),
    ("bool({r}) is False", "bool({r})"),
    ('os.environ["RANK"] == "0"', 'os.environ["RANK"] != "0"'),
    ('int(os.environ.get("RANK", 0)) == 0', 'int(os.environ.get("RANK", 0)) != 0'),
    ('os.getenv("RANK", "0") == "0"', 'os.getenv("RANK", "0") in ("1", "2", "3")'),
    ("dist.get_rank() == 0", "dist.get_rank() > 0"),
    ("{r} == dist.get_world_size() - 1", "{r} != dist.get_world_size() - 1"),
    ("str({r}) == '0'", "f'{{{r}}}' != '0'"),
    ("max({r}, 0) == 0", "min({r}, 1) == 1"),
    ("(me := {r}) == 0", "(me := {r}) != 0"),
    ("-1 < {r} < 1", "not -1 < {r} < 1"),
    ("{r} == 0 or {r} < 0", "{r} != 0 and {r} >= 0"),
    ("[True, False, False, False][{r}]", "[False, True, True, True][{r}]"),
    ("{{0: True}}.get({r}, False)", "not {{0: True}}.get({r}, False)"),
    ("({r} == 0 if dist.is_initialized() else True)", "({r} != 0 if dist.is_initialized() else False)"),
)
SOME = (
    ("{r} % 2 == 0", "{r} % 2 == 1"),
    ("{r} % 2", "not {r} % 2"),
    ("{r} < 2", "{r} >= 2"),
    ("{r} < dist.get_world_size() // 2", "{r} >= dist.get_world_size() // 2"),
    ("{r} in (0, 2)", "{r} not in (0, 2)"),
    ("{r} & 1", "{r} & 1 == 0"),
    ("any({r} == other for other in (1, 3))", "all({r} != other for other in (1, 3))"),
    ('os.environ["LOCAL_RANK"] == "0"', 'os.environ["LOCAL_RANK"] != "0"'),
    ('int(os.environ["LOCAL_RANK"]) == 0', 'int(os.environ["LOCAL_RANK"]) != 0'),
    ('int(os.getenv("LOCAL_RANK", "0"))', 'not int(os.getenv("LOCAL_RANK", "0"))'),
)
EVERYWHERE = (
    "{r} >= 0",
    "{r} < dist.get_world_size()",
    "{r} in range(4)",
    "dist.is_initialized()",
    "{r} == dist.get_rank()",
)
NOWHERE = ("{r} < 0", "{r} > 99", "{r} == dist.get_world_size()", "not dist.is_initialized()", "{r} == -1")
# What each rank sees for itself.
LOCAL = ("random.random() < 0.5", 'os.path.exists("stop")')


def local(draft: Draft) -> str:
    """A condition on something that each rank sees for itself; few of them, for each has many outcomes."""
    draft.features.add("rank-local")
    draft.locals_left -= 1
    return draft.pick(LOCAL)


def rank_pair(draft: Draft, scope: Scope) -> tuple[str, str]:
    """A condition that holds on some ranks only, and its complement."""
    choice = draft.number(0, 9)
    if scope.mains and choice < 4:
        return draft.pick(scope.mains)
    if scope.tainted and choice == 9:
        name = draft.pick(scope.tainted)
        return name, f"not {name}"
    yes, no = draft.pick(SOME if choice in (7, 8) else MAIN)
    rank = draft.pick(scope.rank)
    pair = yes.format(r=rank), no.format(r=rank)
    return (pair[1], pair[0]) if draft.maybe(25) else pair


def rank_condition(draft: Draft, scope: Scope) -> str:
    """A condition that may hold on some ranks only, possibly joined with a uniform one."""
    if draft.locals_left > 0 and draft.maybe(7):
        return local(draft)
    condition = rank_pair(draft, scope)[0]
    shape = draft.number(0, 9)
    if shape == 8:
        draft.features.add("mixed-condition")
        return f"{uniform(draft, scope)} and {_atom(condition)}"
    if shape == 9:
        draft.features.add("mixed-condition")
        return f"{_atom(condition)} {draft.pick(('or', 'and'))} {uniform(draft, scope)}"
    return condition


def settled(draft: Draft, scope: Scope) -> tuple[str, bool]:
    """A condition written with the rank that nevertheless is the same everywhere, and its value."""
    value = draft.maybe(50)
    draft.features.add("settled-rank-condition")
    return draft.pick(EVERYWHERE if value else NOWHERE).format(r=draft.pick(scope.rank)), value


def uniform(draft: Draft, scope: Scope) -> str:
    """A condition that is the same on all ranks, its value unknown to a reader."""
    flag = draft.pick(scope.flags) if scope.flags else "dist.is_initialized()"
    return f"not {_atom(flag)}" if draft.maybe(30) else flag


def _atom(condition: str) -> str:
    simple = condition.replace(".", "").replace("_", "").isalnum()
    return condition if simple else f"({condition})"


def atom(condition: str) -> str:
    """``condition`` in parentheses unless it is a name or an attribute."""
    return _atom(condition)


def membership(draft: Draft, scope: Scope, group: Group) -> str:
    """A condition that holds exactly on the members of ``group``."""
    return draft.pick(group.inside).format(r=draft.pick(scope.rank), g=group.name)


GROUPS = (
    ((0, 1), ("{r} in (0, 1)", "{r} < 2", "{r} in [0, 1]", "dist.get_rank({g}) >= 0", "{r} // 2 == 0")),
    ((0, 2), ("{r} in (0, 2)", "{r} % 2 == 0", "dist.get_rank({g}) != -1", "not {r} % 2")),
    ((2, 3), ("{r} in (2, 3)", "{r} >= 2", "dist.get_rank({g}) >= 0", "not {r} < 2")),
    ((1, 2, 3), ("{r} != 0", "{r} in (1, 2, 3)", "{r} > 0", "{r}")),
    ((0, 1, 2, 3), ("{r} >= 0", "{r} in range(4)")),
)

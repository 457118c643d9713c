"""A hypothesis strategy for small SPMD programs as Python source."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz import classes, conditions
from tests.fuzz.draft import Choose, Draft, Group, Lines, Scope, indent
from tests.fuzz.everyday.hooked import hooked
from tests.fuzz.everyday.typed import retyped
from tests.fuzz.helpers import HELPERS
from tests.fuzz.idioms import op_text
from tests.fuzz.modules import begin
from tests.fuzz.statements import block

MOODS = ("careful", "hole", "wild", "hole", "wild", "hole")
_OTHER = "helpers"
IMPORTS = [
    "import argparse",
    "import contextlib",
    "import dataclasses",
    "import functools",
    "import os",
    "import random",
    "import typing",
    "",
    "import torch",
    "import torch.distributed as dist",
]


@dataclass(frozen=True)
class Program:
    """A program and the rarer features of the language it uses."""

    source: str
    features: frozenset[str]


@st.composite
def programs(draw: DrawFn) -> Program:
    """Programs that hypothesis can shrink."""
    return write(lambda low, high: draw(st.integers(low, high)))


def random_program(seed: int) -> Program:
    """The program of one seed, independent of its neighbours'."""
    return write(random.Random(seed).randint)


def write(number: Choose) -> Program:
    """A program of 15 to 100 lines, whole or with one mistake or written without care; about half of them diverge."""
    mood = MOODS[number(0, len(MOODS) - 1)]
    draft = Draft(number, careful=mood != "wild", holes=1 if mood == "hole" else 0)
    parser, flags, counts = _arguments(draft)
    global_args = bool(parser) and draft.maybe(40)
    scope = Scope(
        rank=("dist.get_rank()", 'int(os.environ["RANK"])'), flags=flags, counts=counts, hand_down=not global_args
    )
    lines = [
        *IMPORTS,
        "",
        *parser,
        *(["args = parser.parse_args()"] if global_args else []),
        'dist.init_process_group("gloo")',
    ]
    if draft.maybe(15):
        lines.insert(
            lines.index("import torch.distributed as dist") + 1, "from torch.distributed import barrier, get_rank"
        )
        scope = replace(scope, sync=(*scope.sync, "barrier()"), rank=(*scope.rank, "get_rank()"))
    at, before = len(lines), scope
    for _ in range(draft.number(0, 3)):
        draft.budget = draft.number(1, 5)
        helper, scope = draft.pick(HELPERS)(draft, scope)
        lines += ["", "", *helper] if helper else []
    made: Lines = [f"rank = {draft.pick(scope.rank)}"]
    if draft.maybe(30):
        helper, more, scope = classes.trainer(draft, scope)
        made += more
        lines += ["", "", *helper]
    lines += ["", "", *_main(draft, scope, bool(parser) and not global_args, made)]
    if draft.maybe(12):
        lines = hooked(draft, lines, before, bool(parser))
    lines[at:at] = draft.head
    if draft.imported:
        lines.insert(
            lines.index("import torch.distributed as dist") + 1, f"from {_OTHER} import {', '.join(draft.imported)}"
        )
        lines += ["", "", begin(_OTHER), *_imports(draft.module), *draft.module]
    if "hooks" in draft.features:
        lines.insert(lines.index("import torch.distributed as dist") + 1, "import lightning")
    if parser and draft.maybe(20):
        lines = retyped(draft, lines, parser)
    return Program("\n".join([*lines, ""]), frozenset(draft.features))


def _imports(lines: Lines) -> Lines:
    """What a module imports: what it uses."""
    text = "\n".join(lines)
    return [line for line in IMPORTS if line and re.search(rf"\b{line.split()[-1]}\.", text)]


def _arguments(draft: Draft) -> tuple[Lines, tuple[str, ...], tuple[str, ...]]:
    """The parser, and the uniform conditions and counts that its arguments give."""
    lines: Lines = []
    flags: list[str] = []
    counts: list[str] = []
    for name in ("resume", "verbose")[: draft.number(0, 2)]:
        lines.append(f'parser.add_argument("--{name}", action="store_true")')
        flags.append(f"args.{name}")
    if draft.maybe(40):
        lines.append('parser.add_argument("--level", type=int, default=0)')
        flags.append(f"args.level {draft.pick(('> 1', '== 0', '<= 2', '!= 1'))}")
    if draft.maybe(40):
        lines.append('parser.add_argument("--epochs", type=int, default=1)')
        counts.append("args.epochs")
    return (["parser = argparse.ArgumentParser()", *lines] if lines else []), tuple(flags), tuple(counts)


def _main(draft: Draft, scope: Scope, parse: bool, made: Lines) -> Lines:
    lines = ["args = parser.parse_args()"] if parse else []
    lines += made
    scope = replace(scope, rank=("rank", *scope.rank), depth=0)
    if draft.maybe(30):
        lines.append("main = rank == 0")
        scope = replace(scope, mains=(("main", "not main"), *scope.mains))
    groups: list[Group] = []
    for _ in range(draft.number(0, 2) if draft.maybe(30) else 0):
        members, inside = draft.pick(conditions.GROUPS)
        group = Group(draft.fresh("group"), members, inside)
        lines.append(f"{group.name} = dist.new_group({list(members)})")
        groups.append(group)
    draft.budget = draft.number(3, 9)
    scope = replace(scope, groups=tuple(groups))
    body = block(draft, scope, 5)
    body += _remaining(draft, scope, body)
    return ["def main():", *indent([*lines, *body]), "", "", 'if __name__ == "__main__":', "    main()"]


def _remaining(draft: Draft, scope: Scope, body: Lines) -> Lines:
    """Calls of helpers that the body left out, since code that nobody calls has no truth; and the mistake still due."""
    lines: Lines = []
    for call in scope.calls:
        stem = call.text.partition("(")[0]
        if any(stem in line for line in (*body, *lines)):
            continue
        if call.inert or not call.parts or draft.may_communicate(replace(scope, parted=True)):
            lines.append(call.text)
    for manager, _ in scope.managers:
        if not any(manager in line for line in body):
            lines += [f"with {manager}:", "    pass"]
    if draft.holes:
        lines += [f"if {conditions.rank_condition(draft, scope)}:", *indent([op_text(draft, scope)])]
    return lines

"""Stacks of living processes (faulthandler, py-spy): who waits in a collective, and whether for each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ddplint.job.triage.facts import Code, Stack

_WAITS = re.compile(r"torch[\\/](?:distributed|nn[\\/]parallel)[\\/]|deepspeed[\\/]comm[\\/]")
_WRAPS = re.compile(r"wrapper|_logger|inner|decorate|<lambda>")


@dataclass(frozen=True)
class Standing:
    """Where the main thread of a rank stood: a line of the program, and the collective called from there (or none)."""

    rank: int | None
    line: Code
    operation: str

    def __str__(self) -> str:
        who = "a rank" if self.rank is None else f"rank {self.rank}"
        what = f"waits in {self.operation}, called" if self.operation else "is in no collective, but"
        return f"{who} {what} at {self.line.path}:{self.line.line}"


def standing(stacks: Iterable[Stack]) -> list[Standing]:
    """One entry for each rank (or process whose rank is not known) with a stack that no error ended."""
    found: dict[object, Standing] = {}
    for stack in stacks:
        line = stack.own
        if stack.error or line is None:
            continue
        key = stack.where if stack.rank is None else stack.rank
        one = Standing(stack.rank, line, _operation(stack, line))
        if key not in found or (one.operation and not found[key].operation):
            found[key] = one
    return sorted(found.values(), key=lambda one: -1 if one.rank is None else one.rank)


def _operation(stack: Stack, line: Code) -> str:
    """The outermost function of the communication library below the program's own line."""
    inner = stack.frames[stack.frames.index(line) + 1 :]
    names = [code.function.rpartition(".")[2] for code in inner if _WAITS.search(code.path)]
    return next((name for name in names if not _WRAPS.search(name)), "")

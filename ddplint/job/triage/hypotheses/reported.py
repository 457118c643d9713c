"""What a scheduler and Ray report of an end, beyond a code."""

from __future__ import annotations

import re

from ddplint.job.triage.facts import Sign, Stack
from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, spell_ranks
from ddplint.job.triage.timelines.case import Case

_OF_RAY = (
    ("worker", re.compile(r"class_name: ([\w.<>]{1,120})")),
    ("process", re.compile(r"(?:Worker PID|\bpid): ?(\d{1,9})")),
    ("on", re.compile(r"(?:Worker IP address|\bip): ?([\w.:]*\w)")),
    ("for", re.compile(r"exit type: ([A-Z_]{3,40})")),
    ("exit code", re.compile(r"Exit code: (-?\d{1,6})")),
    ("detail", re.compile(r"Worker exit detail: ([^.]{1,120})")),
)
_MOST_LEFT = 2
"""Tasks that a scheduler did not end itself, above which nothing is said of them: its lists may be of some nodes."""


def by_scheduler(case: Case, found: Hypothesis) -> None:
    """A step that was ended because one of its tasks failed; that task is not among those that were ended."""
    for sign in case.of("task-failed")[:1]:
        found.support(56, f"a task failed, and the scheduler ended the others for that: {quoted(sign)}", sign)
        ended = {one.rank for one in case.deaths if one.rank is not None and one.text == "Terminated"}
        left = tuple(rank for rank in range(max(ended, default=-1) + 1) if rank not in ended)
        if ended and 0 < len(left) <= _MOST_LEFT and not found.ranks:
            found.support(56, f"of the tasks, all but {spell_ranks(left)} were ended by it", sign, left)


def of_ray(sign: Sign, case: Case) -> str:
    """Which process it was, and how it ended, as Ray says it in the middle of a long line or on the lines below."""
    stack = next((one for one in case.stacks if one.order == sign.order and one.more), None)
    text = f"{sign.text} {stack.more}" if isinstance(stack, Stack) else sign.text
    told = [f"{name} {match[1]}" for name, pattern in _OF_RAY if (match := pattern.search(text))]
    return ", ".join(told)

"""Messages of errors that go on behind their first line, and bars of progress that stand still."""

from __future__ import annotations

import re
from dataclasses import replace

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.stacks import begins_stack
from ddplint.job.triage.wordings.around import PROGRESS

_LINES = 4
_LONGEST = 600
_ANOTHER = re.compile(
    r"\s*$|\[?[EWIF]\d{3,4} |\[?\d{4}-\d\d-\d\d|\s*File \"|During handling|The above exc|[=*-]{5}|frame #|#\d+ "
    r"|Exception (?:raised|ignored|in thread)|wandb:|srun:|slurmstepd|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b"
    r"|[\w.-]+:\d+:\d+ \[|CUDA kernel errors|For debugging consider|Compile with|Search for|terminate called"
    r"|\[\w+\] \[|\[W |\[E |```|<|#"
)
"""How lines begin that are no part of the message before them, or that are the same below every message."""
_RANK = re.compile(r"RankID:(\d{1,7})")
_BAR = re.compile(r"\b(\d+)/(\d+) \[")


class Messages:
    """Adds to an error that ended a stack what stands on the lines behind it."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.open: dict[str, tuple[int, int, int]] = {}
        """For each stream which stack it is, the number of its last line, and how many may follow."""

    def begin(self, line: Line) -> None:
        """The stack that was added last ended with this line."""
        stacks = self.evidence.stacks
        if stacks and stacks[-1].where == line.where:
            self.open[line.stream] = (len(stacks) - 1, line.number, _LINES)

    def take(self, line: Line) -> None:
        """Add a line if it follows the message of its stream."""
        if line.stream not in self.open:
            return
        at, number, left = self.open.pop(line.stream)
        text = line.text.strip()
        if line.number != number + 1 or _ANOTHER.match(line.text) or begins_stack(text) or PROGRESS.search(text):
            return
        stack = self.evidence.stacks[at]
        named = _RANK.search(text)
        rank = int(named[1]) if named and stack.rank is None else stack.rank
        more = f"{stack.more} {text}".strip()[:_LONGEST]
        self.evidence.stacks[at] = replace(stack, more=more, rank=rank)
        if left > 1:
            self.open[line.stream] = (at, line.number, left - 1)


class Bars:
    """Which bars of progress went on. One is drawn again where it stands when an error leaves the loop."""

    def __init__(self) -> None:
        self.last: dict[str, tuple[str, str]] = {}

    def moved(self, line: Line) -> bool:
        """Whether a line of progress is no bar, or one that stands elsewhere than the one before."""
        found = _BAR.search(line.text)
        if found is None:
            return True
        before, now = self.last.get(line.stream), (found[1], found[2])
        self.last[line.stream] = now
        return now != before and found[1] != "0"

"""What all hypotheses have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ddplint.job.triage.facts import Death, Fact, Sign, Stack, Wait
from ddplint.job.triage.timelines.case import Case

_MOST_SHOWN = 480
_SOURCE = re.compile(r"\[[EWIF]\S*(?: [\d:.]+)? \w+\.cpp:\d+\] ?")
"""Time and place in the sources of torch, before a message."""
_DEVICE = re.compile(r"^(\S+):\d+:\d+ \[(\d+)\] ")


@dataclass
class Hypothesis:
    """``score`` is from 0 to 100; ``ranks`` are to blame, ``first`` is the line that it begins with.

    ``because`` and ``against`` are sentences for people; ``also`` are causes that the same evidence allows.
    """

    cause: str
    score: int = 0
    ranks: tuple[int, ...] = ()
    first: Fact | None = None
    because: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    absent: tuple[int, ...] = ()
    """Those of the ranks that did not come to what the others wait in."""

    def support(
        self, points: int, text: str, first: Fact | None = None, ranks: Iterable[int | None] = (), absent: bool = False
    ) -> None:
        """Note evidence for it. The strongest counts, each further one adds a little."""
        named = {rank for rank in ranks if rank is not None}
        if absent:
            self.absent = tuple(sorted({*self.absent, *named}))
        low, high = sorted((self.score, points))
        self.score = min(100, high + min(3, low // 20))
        if points == high and first is not None and (self.first is None or points > low):
            self.first = first
        if text and text not in self.because:
            self.because.insert(0 if points == high > low else len(self.because), text)
        self.ranks = tuple(sorted({*self.ranks, *named}))

    def doubt(self, points: int, text: str) -> None:
        """Note evidence against it."""
        if self.score:
            self.score = max(1, self.score - points)
            self.against.append(text)


Consider = Callable[[Case], "Hypothesis | None"]


def who(rank: int | None) -> str:
    """A rank in a sentence."""
    return "a rank" if rank is None else f"rank {rank}"


def whom(fact: Sign | Stack) -> str:
    """Whose a fact is: the rank, or what the launcher calls the process that wrote it."""
    if fact.rank is None and fact.process:
        return f"a process ({shortened(fact.process, 120)})"
    return who(fact.rank)


def of_death(death: Death) -> str:
    """Who ended: the rank, or the number on one machine where nothing else is known."""
    if death.rank is None and death.text.startswith("local rank "):
        return f"a process ({death.text} of its machine)"
    return who(death.rank)


def whose(sign: Sign) -> str:
    """Whom a line is about: its rank, or where NCCL writes only those, the GPU and the machine."""
    device = _DEVICE.match(sign.text)
    if sign.rank is None and device:
        return f"GPU {device[2]} of {device[1]}"
    return whom(sign)


def spell_ranks(ranks: Iterable[int]) -> str:
    """Ranks in a sentence: ``ranks 0–3, 5 and 7``."""
    numbers = sorted(set(ranks))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [part for run in runs for part in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run))]
    told = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else ""
    return f"rank {told}" if len(numbers) == 1 else f"ranks {told}"


def shortened(text: str, most: int = _MOST_SHOWN) -> str:
    """A long message with its beginning and its end."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 160]} … {plain[-150:]}"


def quoted(fact: Fact) -> str:
    """The words of a fact and where they stand."""
    where = getattr(fact, "where", "")
    text = fact.text if isinstance(fact, (Sign, Death)) else ""
    if isinstance(fact, Stack):
        text = f"{fact.error} {fact.more}"
    if isinstance(fact, Wait):
        text = f"{fact.op or 'a collective'} timed out"
    return shortened(_SOURCE.sub("", text.strip(), count=1)) + (f" ({where})" if where else "")


def place(stack: Stack) -> str:
    """The line of the program in which a stack stood."""
    code = stack.own or (stack.frames[-1] if stack.frames else None)
    return f"{code.path}:{code.line}" if code is not None else ""

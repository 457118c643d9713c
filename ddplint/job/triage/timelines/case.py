"""The evidence of one attempt as a case: in its order, with what came before what, and what was over again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ddplint.job.triage.facts import Death, Evidence, Fact, Life, Recorded, Sign, Stack, Wait
from ddplint.job.triage.timelines.groups import GroupLine, groups_of
from ddplint.job.triage.wordings.table import follows

GRAVE = frozenset(
    {"gpu-memory", "host-memory", "oom", "shm", "hardware", "assert", "cuda", "crash", "worker", "actor", "child"}
)
"""Kinds of signs that are a failure of their own."""

_NEVER_OVER = ("mismatch", "counts", "sizes")
"""Kinds of what ranks cannot get over: steps behind it are of a job that is wrong."""
_TRIED_AGAIN = ("connect", "address", "join")
"""Kinds of warnings of what is tried until it works: ordinary lines behind them show that it did."""

_NO_FAILURE = (None, 0, -15, 143, -2, 130)
_F = TypeVar("_F", bound=Fact)


def moment(fact: Fact) -> tuple[float, int]:
    """When a fact was: its time, and its place in what was read."""
    return (fact.time if fact.time is not None else -1.0, fact.order)


@dataclass
class Case:
    """One attempt of a job. ``attempt`` counts the launcher's restarts from 0."""

    evidence: Evidence
    attempt: int

    def _of(self, facts: list[_F]) -> list[_F]:
        return [fact for fact in facts if fact.attempt == self.attempt]

    @cached_property
    def waits(self) -> list[Wait]:
        return self._of(self.evidence.waits)

    @cached_property
    def stacks(self) -> list[Stack]:
        return self._of(self.evidence.stacks)

    @cached_property
    def deaths(self) -> list[Death]:
        """Ends of processes; that a launcher asked one to stop is none of its own."""
        return self._of(self.evidence.deaths)

    @cached_property
    def signs(self) -> list[Sign]:
        return self._of(self.evidence.signs)

    @cached_property
    def recorded(self) -> list[Recorded]:
        return self.evidence.recorded

    @cached_property
    def groups(self) -> list[GroupLine]:
        return groups_of(self.waits, self._of(self.evidence.counted), self.evidence.apart)

    @property
    def compared(self) -> list[GroupLine]:
        """Those of the groups whose waits are to be compared here: where dumps were, that has been done."""
        return [] if self.recorded else self.groups

    def group_of(self, sign: Sign) -> str:
        """The group that a report of the watchdog is about, which the line behind the report names."""
        reports = [other.order for other in self.signs if other.kind == "pytorch-desync" and other.order > sign.order]
        end = min(reports, default=float("inf"))
        behind = [one for one in self._of(self.evidence.counted) if sign.order < one.order < end]
        return min(behind, key=lambda one: one.order).group if behind else ""

    @cached_property
    def lives(self) -> list[Life]:
        return [life for life in self.evidence.lives.values() if life.attempt == self.attempt]

    @cached_property
    def end(self) -> Life | None:
        """The last line that says that the program is done, unless something failed behind it."""
        ends = [life for life in self.lives if life.ended]
        last = max(ends, key=lambda life: life.order, default=None)
        if last is None or any(self.behind(fact, last) for fact in self.failures):
            return None
        return last

    @cached_property
    def failures(self) -> list[Fact]:
        """What nobody does who is well: own errors, ends with a code, waits given up, failures of the device."""
        own = [stack for stack in self.stacks if stack.error and not follows(stack.error)]
        lost = [stack for stack in self.stacks if stack.error and follows(stack.error)]
        ended = [death for death in self.deaths if death.exitcode not in _NO_FAILURE]
        signs = [sign for sign in self.signs if sign.kind in GRAVE and sign.level not in ("W", "I")]
        return sorted([*own, *lost, *ended, *self.waits, *signs], key=lambda fact: fact.order)

    def over(self, fact: Stack | Sign | Death) -> bool:
        """Whether the job went on after it, or it came when all was done."""
        if self.end is not None or getattr(fact, "kind", "") in _NEVER_OVER:
            return self.end is not None
        after = [life for life in self.lives if self.behind(life, fact)]
        weak = isinstance(fact, Sign) and fact.level in ("W", "I")
        last = not any(self.behind(other, fact) for other in self.failures)
        if weak and getattr(fact, "kind", "") in _TRIED_AGAIN and last and self._spoke_after(fact):
            return True
        if fact.rank is not None:
            waited = isinstance(fact, Stack) and any(w.rank == fact.rank and self.later(w, fact) for w in self.waits)
            return waited or any(life.rank == fact.rank for life in after)
        return bool(after) and (weak or last)

    def _spoke_after(self, fact: Fact) -> bool:
        """Whether the log goes on behind a warning with lines that are about no failure."""
        return self.evidence.spoke.get(_log_of(fact), -1) > fact.order

    def closes(self, fact: Fact) -> bool:
        """Whether the log ends with it: no ordinary line and no sign of life is behind."""
        return not self._spoke_after(fact) and not any(self.behind(life, fact) for life in self.lives)

    def behind(self, one: Fact, other: Fact) -> bool:
        """Whether ``one`` is known to have come after ``other``.

        The order of two logs without times says nothing, but that a rank came to its end does: it had got over what
        else it wrote.
        """
        if _log_of(one) == _log_of(other):
            return one.order > other.order
        if one.time is not None and other.time is not None:
            return one.time > other.time
        return isinstance(one, Life) and one.ended and one.rank == getattr(other, "rank", None)

    def later(self, one: Fact, other: Fact) -> bool:
        """Whether ``one`` came after ``other``: by the clock where both have a time, else as they were read."""
        if one.time is not None and other.time is not None and one.time != other.time:
            return one.time > other.time
        return one.order > other.order

    def of(self, *kinds: str) -> list[Sign]:
        """Signs of these kinds that were not over again, the gravest reading first."""
        found = [sign for sign in self.signs if sign.kind in kinds and not self.over(sign)]
        return sorted(found, key=lambda sign: sign.level in ("W", "I"))

    @cached_property
    def ran(self) -> bool:
        """Whether anything shows that the job ran: a step, a collective that was finished, an agent at work."""
        counted = any((count.completed or 0) > 0 for line in self.groups for count in line.counts.values())
        numbers = any((wait.seq or 0) > 1 for wait in self.waits)
        agent = any(_agent_at_work(stack) for stack in self.stacks)
        return bool(self.lives) or counted or numbers or agent or any(sign.kind == "ran" for sign in self.signs)

    @cached_property
    def living(self) -> list[Stack]:
        """Stacks of processes that were looked at while they hung; those that a watchdog wrote at the end are none."""
        waited = {wait.rank for wait in self.waits if wait.rank is not None}
        found = [stack for stack in self.stacks if not stack.error and not stack.cut and stack.rank not in waited]
        return [] if self._fragment(found) else found

    def _fragment(self, stacks: list[Stack]) -> bool:
        """Whether the only stack without an error is a piece of a traceback, of which head and error are not here."""
        return len(stacks) == 1 and stacks[0].loose

    @cached_property
    def cut_stacks(self) -> list[Stack]:
        """Tracebacks whose error is not in the log, and that nothing shows the job to have got over."""
        pieces = [stack for stack in self.stacks if not stack.error and not stack.cut]
        found = [
            stack
            for stack in self.stacks
            if (stack.cut and not stack.error) or (self._fragment(pieces) and stack is pieces[0])
        ]
        found = [stack for stack in found if not self.over(stack)]
        return [stack for stack in found if not self._of_agent(stack)]

    def _of_agent(self, stack: Stack) -> bool:
        """Whether it is the traceback with which a launcher ends that has reported how a process of its ended."""
        ended = [death for death in self.deaths if death.exitcode not in _NO_FAILURE]
        told = stack.of_launcher and bool(ended)
        return told or (not stack.frames and any(_next_to(death, stack) for death in ended))

    @cached_property
    def own_stacks(self) -> list[Stack]:
        """Errors that a rank raised by itself and did not outlive, the first one first."""
        raised = [stack for stack in self.stacks if stack.error and not _of_others(stack)]
        found = [stack for stack in raised if not self.over(stack)]
        return sorted(found, key=moment)

    @cached_property
    def lost_stacks(self) -> list[Stack]:
        """Errors that are about somebody else."""
        raised = [stack for stack in self.stacks if stack.error and _of_others(stack)]
        return [stack for stack in raised if not self.over(stack)]

    @cached_property
    def own_failure(self) -> Fact | None:
        """The first failure that a process had by itself; what others say of it afterwards follows from it."""
        signs = [sign for sign in self.of(*GRAVE - {"actor", "child"}) if sign.level not in ("W", "I")]
        killed = [death for death in self.deaths if death.exitcode in (-9, -11, -7, -4, 137, 139, 135)]
        return min([*self.own_stacks, *signs, *killed], key=lambda fact: fact.order, default=None)

    @cached_property
    def waiting(self) -> frozenset[int]:
        """Ranks that gave up waiting for others."""
        waited = {wait.rank for wait in self.waits if wait.rank is not None}
        lost = {stack.rank for stack in self.lost_stacks if stack.rank is not None}
        return frozenset(waited | lost)

    @cached_property
    def silent(self) -> tuple[int, ...]:
        """Ranks that there must be, and of which no line was read."""
        if not self.evidence.seen:  # the lines do not say whose they are
            return ()
        return tuple(rank for rank in range(self.evidence.size) if rank not in self.evidence.seen)


def _of_others(stack: Stack) -> bool:
    """Whether an error only says that somebody else had failed."""
    return follows(stack.error) or stack.of_parent or stack.of_pipe


def _next_to(one: Fact, other: Fact) -> bool:
    """Whether ``other`` begins on the line behind ``one``."""
    told = [str(getattr(fact, "where", "")).rpartition(":") for fact in (one, other)]
    return told[0][0] == told[1][0] and [where[2] for where in told] == [told[0][2], str(_number(told[0][2]) + 1)]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else -9


def _log_of(fact: Fact) -> str:
    return str(getattr(fact, "where", "")).rpartition(":")[0]


def _agent_at_work(stack: Stack) -> bool:
    """Whether torchrun's agent was watching its workers: it is past the rendezvous."""
    functions = {code.function for code in stack.frames}
    return "_invoke_run" in functions and not functions & {"_initialize_workers", "_rendezvous", "next_rendezvous"}

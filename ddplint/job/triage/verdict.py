"""Evidence → verdict: the likeliest cause with what speaks for it, what else is possible, and what is not known."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddplint.job.triage.facts import Evidence, Fact, Life, Stack
from ddplint.job.triage.hypotheses.base import Hypothesis, quoted, spell_ranks
from ddplint.job.triage.hypotheses.weighed import weighed
from ddplint.job.triage.timelines.case import Case
from ddplint.job.triage.timelines.groups import GroupLine
from ddplint.job.triage.timelines.operations import operation
from ddplint.job.triage.timelines.standing import standing

CLASSES = {
    "died": "a rank died by itself, and the others went down with it",
    "memory": "memory ran out",
    "hardware": "a GPU, its links or the driver failed",
    "diverged": "ranks diverged: they disagree about which collective comes next",
    "sizes": "ranks met in one collective with different sizes",
    "slow": "a rank did not come in time: it is late, stuck, or somewhere else",
    "transport": "the way between ranks failed, or a peer was lost",
    "init": "the process group was never initialised",
    "configuration": "something is set wrongly",
    "scheduler": "the job was ended from outside: by the scheduler, by a person, or with its terminal",
    "unknown": "something failed, and nothing here says why",
    "healthy": "no failure found",
}
STATES = {
    "ended": "healthy: no failure found",
    "running": "healthy so far: no failure found; the log ends while the job runs, and says nothing of its end",
    "partly": "not known: no failure found in what was read, and that was not all (see the warning)",
    "nothing": "not known: no failure found, and nothing shows that a job ran or came to its end",
}
"""What is said of a log without a failure, by what it shows instead."""
_REMARKED = ("not-understood", "not-possible", "error", "connect", "address")
"""Kinds of lines that are shown where nothing else is."""
_FOUNDED = 54
"""Scores below stand for reports of an end that do not say why."""
_TOLD_END = 36
"""A process that ended with a code most often failed by itself: from this score on, that is likely."""
_TOLD_FAILURE = 20
"""Unknown causes from this score on: the log says that something failed, if not why."""
_POSSIBLE = 20
_SHARE = 0.45
"""Further causes are reported from this score on, and from this share of the likeliest one's."""


@dataclass
class Verdict:
    """``cause`` is a key of :data:`CLASSES`; ``also`` are further ones that the evidence allows.

    ``culprits`` are the ranks to look at; ``missing`` never came to what the ``waiting`` wait in; of the ``untold``,
    nothing was read. ``attempts``: the cause of each attempt of a job that was restarted.
    """

    cause: str = "healthy"
    also: list[str] = field(default_factory=list)
    culprits: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    untold: tuple[int, ...] = ()
    operation: str = ""
    timeout: int | None = None
    sentences: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    groups: list[GroupLine] = field(default_factory=list)
    first: Fact | None = None
    hypotheses: list[Hypothesis] = field(default_factory=list)
    attempts: dict[int, str] = field(default_factory=dict)
    attempt: int = 0
    state: str = "nothing"
    """``failed``, or where nothing failed a key of :data:`STATES`."""
    partly: bool = False
    """Whether not all of a folder was read: what is read may be of several jobs, and what failed first in the rest."""
    last: Life | None = None
    """The last sign of life of a job in which nothing failed."""

    @property
    def headline(self) -> str:
        """What it comes to, in one line. Only a job that says that it is done is called healthy."""
        return f"{self.cause}: {CLASSES[self.cause]}" if self.failed else STATES[self.state]

    @property
    def confidence(self) -> str:
        """How well the cause is founded: ``high``, ``medium`` or ``low``."""
        best = self.hypotheses[0].score if self.hypotheses else 0
        enough = _TOLD_END if self.cause == "died" and not self.also else _FOUNDED
        if self.cause == "unknown" or best < enough or self.partly:
            return "low"
        return "high" if best >= 80 and not self.also else "medium"

    @property
    def told(self) -> bool:
        """Whether the log says that something failed, where it does not say why."""
        return self.cause == "unknown" and bool(self.hypotheses) and self.hypotheses[0].score >= _TOLD_FAILURE

    @property
    def failed(self) -> bool:
        """Whether anything failed at all."""
        return self.cause != "healthy"

    @property
    def first_is_stack(self) -> bool:
        """Whether the first failure left a stack."""
        return isinstance(self.first, Stack)


def judge(evidence: Evidence) -> Verdict:
    """What ``evidence`` amounts to. Never raises; where it says too little, ``unknown`` and why."""
    cases = [Case(evidence, number) for number in _attempts(evidence)]
    told = {case.attempt: weighed(case) for case in cases}
    attempts = {number: found[0].cause if found else "healthy" for number, found in told.items()}
    case = _which(cases, told)
    verdict = _of(case, told[case.attempt])
    if len(attempts) > 1:
        verdict.attempts = attempts
    return verdict


def _attempts(evidence: Evidence) -> list[int]:
    every: list[Fact] = [*evidence.waits, *evidence.stacks, *evidence.deaths, *evidence.signs, *evidence.lives.values()]
    return sorted({fact.attempt for fact in every}) or [0]


def _which(cases: list[Case], told: dict[int, list[Hypothesis]]) -> Case:
    """The attempt to judge: the first that failed, for those after it meet what it left; the last, if that is well."""
    last = cases[-1]
    if not told[last.attempt] and (last.lives or len(cases) == 1):
        return last
    sure = [case for case in cases if told[case.attempt] and told[case.attempt][0].score >= 50]
    return next(iter(sure), None) or next((case for case in cases if told[case.attempt]), last)


def _of(case: Case, hypotheses: list[Hypothesis]) -> Verdict:
    verdict = Verdict(untold=case.silent, groups=case.groups, hypotheses=hypotheses, attempt=case.attempt)
    recorded = {rank for one in case.recorded for rank in one.waiting}
    alive = {one.rank for one in standing(case.living) if one.operation and one.rank is not None}
    verdict.waiting = tuple(sorted({*case.waiting, *recorded, *alive}))
    for wait in case.waits:
        verdict.timeout = verdict.timeout or wait.timeout
        verdict.operation = verdict.operation or operation(wait)
    if not hypotheses:
        verdict.last = max(case.lives, key=lambda life: life.order, default=None)
        verdict.state = "ended" if case.end is not None else "running" if case.lives else "nothing"
        if case.evidence.unread:
            verdict.state = "partly"
        if verdict.state == "nothing":
            lines = [sign for sign in case.signs if sign.kind in _REMARKED]
            verdict.sentences = [f"not understood, and perhaps one: {quoted(sign)}" for sign in lines[-3:]]
        return verdict
    verdict.state = "failed"
    verdict.partly = case.evidence.unread
    best = hypotheses[0]
    verdict.cause = best.cause
    verdict.culprits, verdict.first = best.ranks, best.first
    verdict.sentences, verdict.against = best.because[:8], best.against
    verdict.missing = tuple(
        rank for rank in best.absent if rank not in verdict.waiting or best.cause == "died" or case.recorded
    )
    verdict.waiting = tuple(rank for rank in verdict.waiting if rank not in verdict.missing)
    possible = [
        one.cause
        for one in hypotheses[1:]
        if one.score >= max(_POSSIBLE, best.score * _SHARE) and one.cause != "unknown"
    ]
    verdict.also = list(dict.fromkeys(cause for cause in [*best.also, *possible] if cause != best.cause))
    verdict.sentences += [
        f"{spell_ranks([rank])} last said: {case.evidence.last_said[rank]}"
        for rank in verdict.missing[:8]
        if rank in case.evidence.last_said
    ]
    verdict.sentences += _about_table(case, verdict)
    return verdict


def _about_table(case: Case, verdict: Verdict) -> list[str]:
    """A launcher's table calls root cause who ended first; that is often who first gave up waiting."""
    first = next((death for death in case.deaths if death.first and death.told), None)
    if first is None or first.rank is None or verdict.cause not in ("diverged", "slow", "sizes", "transport"):
        return []
    if first.rank not in verdict.waiting:
        return []
    return [f"torchrun's table calls rank {first.rank} the root cause: it was only the first to give up waiting"]

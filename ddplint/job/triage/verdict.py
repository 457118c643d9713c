"""Evidence → class of cause: who is missing, who died first, what the others wait in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ddplint.job.triage.facts import Death, Evidence, Stack, Wait
from ddplint.job.triage.signs import CONSEQUENCES, LEAVES, WHAT
from ddplint.job.triage.snapshots import Standing, standing

__all__ = ["CLASSES", "Verdict", "judge"]

CLASSES = {
    "diverged": "ranks diverged: they disagree about which collective comes next",
    "slow": "a rank is late: slow work on one rank while the others wait",
    "died": "a rank died, and the others went down with it",
    "init": "the process group was never initialised",
    "sizes": "ranks met in one collective with different sizes",
    "transport": "the transport between ranks, or a kernel, is stuck: the ranks do not disagree",
    "hardware": "the driver, a GPU or the fabric failed",
    "unknown": "nothing in the logs says what happened",
}
_INIT = ("address", "port", "interface", "environment", "rendezvous", "join", "init", "connect")
_BUCKET = 25 * 1024 * 1024 // 4


@dataclass
class Verdict:
    """``cause`` is a key of :data:`CLASSES`; ``also`` are further ones that the evidence allows.

    ``missing`` never came to what the ``waiting`` wait in; of the ``untold``, nothing is in the logs.
    """

    cause: str = "unknown"
    also: list[str] = field(default_factory=list)
    missing: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    untold: tuple[int, ...] = ()
    operation: str = ""
    timeout: int | None = None
    sentences: list[str] = field(default_factory=list)
    culprit: Stack | Death | None = None


def _elements(number: int) -> str:
    return "1 element" if number == 1 else f"{number:,} elements"


def judge(evidence: Evidence) -> Verdict:
    """What ``evidence`` amounts to. Never raises; where it says too little, ``unknown`` and why."""
    verdict = Verdict()
    waits = _first_waits(evidence)
    _who_waits(evidence, waits, verdict)
    kinds = {sign.kind for sign in evidence.signs}
    culprit = _first_death(evidence)
    init = [kind for kind in _INIT if kind in kinds]
    if init or ("store" in kinds and not waits and culprit is None):
        verdict.cause = "init"
        verdict.sentences += [_quoted(evidence, kind) for kind in init or ["store"]]
        verdict.also += ["hardware"] if "hardware" in kinds else []
    elif evidence.recorded and culprit is None:
        _say_recorded(evidence, verdict)
    elif "sizes" in kinds or ("mismatch" in kinds and not _kinds_differ(evidence)):
        verdict.cause = "sizes"
        verdict.sentences.append(_quoted(evidence, "sizes" if "sizes" in kinds else "mismatch"))
    elif "hardware" in kinds or "duplicate" in kinds:
        verdict.cause = "hardware"
        verdict.sentences.append(_quoted(evidence, "hardware" if "hardware" in kinds else "duplicate"))
    elif culprit is not None:
        verdict.cause = "died"
        _say_death(culprit, evidence, verdict)
    elif waits or kinds & {"mismatch", "apart", "counts", "lagging", "behind", "absent", "waited", "closed"}:
        _say_waits(evidence, waits, verdict)
    elif "stuck" in kinds or "store" in kinds:
        verdict.cause, verdict.also = "diverged", ["slow"]
        verdict.sentences.append(_quoted(evidence, "stuck" if "stuck" in kinds else "store"))
    else:
        _say_standing(standing(evidence), verdict)
    _warn_about_table(evidence, verdict)
    return verdict


def _first_waits(evidence: Evidence) -> list[Wait]:
    """One wait per rank: that of the lowest sequence number, for what is stuck behind it says nothing more."""
    first: dict[int | None, Wait] = {}
    for wait in evidence.waits:
        known = first.get(wait.rank)
        if known is None or (wait.seq is not None and known.seq is not None and wait.seq < known.seq):
            first[wait.rank] = wait
    return [wait for _, wait in sorted(first.items(), key=lambda pair: -1 if pair[0] is None else pair[0])]


def _who_waits(evidence: Evidence, waits: list[Wait], verdict: Verdict) -> None:
    named = {rank for sign in evidence.signs if sign.kind in ("lagging", "behind", "absent") for rank in sign.ranks}
    stuck = {wait.rank for wait in waits if wait.rank is not None}
    stuck |= {stack.rank for stack in evidence.stacks if stack.rank is not None and CONSEQUENCES.search(stack.error)}
    verdict.waiting = tuple(sorted(stuck - named))
    others = set(range(evidence.size)) - stuck if stuck and evidence.size > 1 else set()
    if len(others) > len(stuck) and not others & (evidence.seen | evidence.last_said.keys()):
        verdict.untold, others = tuple(sorted(others)), set()
    verdict.missing = tuple(sorted(named or others))
    for wait in waits:
        verdict.operation = verdict.operation or _operation(wait)
        verdict.timeout = verdict.timeout or wait.timeout


def _operation(wait: Wait) -> str:
    """What a wait is in the program, in field terms."""
    op = wait.op.replace("_", "-").lower()
    names = {"allreduce": "all-reduce", "allgather": "all-gather", "reducescatter": "reduce-scatter"}
    name = names.get(op.replace("-", ""), op)
    if op == "store":
        return f"a wait for the other ranks' entry {wait.group} in the store (new_group, or a group being set up)"
    if name == "all-reduce" and wait.elements == 1:
        return "an all-reduce of one element: a barrier, or a scalar (a loss, a flag) being reduced"
    if name == "all-reduce" and wait.elements and wait.elements > 1024:
        size = f"{wait.elements:,} elements, {wait.elements * 4 / 2**20:,.1f} MiB if float32"
        if wait.elements > 4 * _BUCKET:
            what = "one huge parameter, a flat gradient, or a bucket of ZeRO (500,000,000 elements unless configured)"
            return f"an all-reduce of {size}: more than a DDP bucket of 25 MiB; {what}"
        return f"an all-reduce of {size}: a bucket of gradients (DDP fills buckets up to about 25 MiB)"
    if name and wait.elements is not None:
        return f"{name} of {_elements(wait.elements)}"
    return name


def _first_death(evidence: Evidence) -> Stack | Death | None:
    """The first failure that is not about somebody else; a killed process where no rank says what it died of."""
    lived_on = {wait.rank for wait in evidence.waits if wait.rank is not None}
    for stack in evidence.stacks:
        if stack.error and not CONSEQUENCES.search(stack.error) and stack.rank not in lived_on:
            return stack
    told = [death for death in evidence.deaths if death.told]
    for death in told or evidence.deaths:
        if death.exitcode in (-9, -11, -7, -4) or (death.exitcode or 0) > 128:
            return death
    return None


def _say_death(culprit: Stack | Death, evidence: Evidence, verdict: Verdict) -> None:
    who = "a rank" if culprit.rank is None else f"rank {culprit.rank}"
    verdict.culprit = culprit
    if culprit.rank is None and evidence.waits:
        verdict.also.append("diverged")
    if isinstance(culprit, Stack):
        frame = culprit.own or culprit.frames[-1]
        verdict.sentences.append(f"{who} died first: {culprit.error} ({frame.path}:{frame.line}; {culprit.where})")
        if "Expected to have finished reduction" in culprit.error:
            verdict.sentences.append("parameters got no gradient in the step before: the ranks took other branches")
            verdict.also.append("diverged")
    else:
        how = LEAVES.get(str(culprit.exitcode), f"ended with exit code {culprit.exitcode}")
        verdict.sentences.append(f"{who} {how} and left no traceback ({culprit.where})")
        if culprit.exitcode == -9:
            oom = any(sign.kind == "oom" for sign in evidence.signs)
            verdict.sentences.append(
                "the kernel's out-of-memory killer is in the log: host memory ran out"
                if oom
                else "SIGKILL without a word is most often the kernel's out-of-memory killer (see dmesg)"
            )
    if culprit.rank is not None:
        verdict.missing = (culprit.rank,)
        verdict.waiting = tuple(rank for rank in verdict.waiting if rank != culprit.rank)
    verdict.sentences.append("what the other ranks report afterwards (timeouts, closed connections) follows from it")


def _say_recorded(evidence: Evidence, verdict: Verdict) -> None:
    first = evidence.recorded[0]
    verdict.cause, verdict.also = first.cause, list(first.also)
    blamed = {rank for one in evidence.recorded if one.cause == first.cause for rank in one.ranks}
    waiting = {rank for one in evidence.recorded for rank in one.waiting}
    verdict.missing, verdict.waiting = tuple(sorted(blamed)), tuple(sorted(waiting - blamed))
    verdict.sentences += [one.text for one in evidence.recorded]


def _say_waits(evidence: Evidence, waits: list[Wait], verdict: Verdict) -> None:
    verdict.cause, verdict.also = "diverged", ["slow"]
    shapes = {(wait.op, wait.elements) for wait in waits if wait.op}
    numbers = {wait.seq for wait in waits if wait.seq is not None}
    if _kinds_differ(evidence) or len(shapes) > 1:
        verdict.also = []
        verdict.sentences.append("the ranks wait in different collectives: " + "; ".join(map(_told, waits)))
    elif len(numbers) > 1:
        verdict.sentences.append("the ranks are at different places of the sequence: " + "; ".join(map(_told, waits)))
    if verdict.waiting and not verdict.missing and _lines_differ(evidence):
        verdict.also = []
        verdict.sentences.append("every rank waited, at different lines: each for the others")
    if verdict.waiting:
        what = f" in {verdict.operation}" if verdict.operation and len(shapes) < 2 else ""
        seq = f" (sequence number {min(numbers)})" if len(numbers) == 1 else ""
        verdict.sentences.append(f"{_ranks(verdict.waiting)} waited{what}{seq}")
    if verdict.missing:
        verdict.sentences.append(f"{_ranks(verdict.missing)} never arrived, or had not yet")
        verdict.sentences += [
            f"rank {rank} last said: {evidence.last_said[rank]}"
            for rank in verdict.missing
            if rank in evidence.last_said
        ]
    if verdict.untold:
        verdict.sentences.append(f"nothing is said here of {_ranks(verdict.untold)}: look into their logs")
    if any(wait.elements == 1 for wait in waits) and len(shapes) == 1:
        verdict.cause, verdict.also = "slow", ["diverged"]
        verdict.sentences.append("a barrier that is not complete in time: one rank still works, or went elsewhere")
    kinds = {sign.kind for sign in evidence.signs}
    verdict.sentences += [_quoted(evidence, kind) for kind in ("apart", "mismatch", "counts") if kind in kinds]


def _say_standing(ranks: list[Standing], verdict: Verdict) -> None:
    """What stacks of living processes say; nothing where only one was seen, or none is in a collective."""
    waiting = [one for one in ranks if one.operation]
    if len(ranks) < 2 or not waiting:
        return
    verdict.waiting = tuple(one.rank for one in waiting if one.rank is not None)
    verdict.sentences += [str(one) for one in ranks[:16]]
    if len(waiting) < len(ranks):
        verdict.cause, verdict.also = "diverged", ["slow"]
        verdict.missing = tuple(one.rank for one in ranks if not one.operation and one.rank is not None)
    elif len({(one.line.path, one.line.line) for one in ranks}) > 1:
        verdict.cause = "diverged"
        verdict.sentences.append("every rank waits, at different lines: each for the others")
    else:
        verdict.sentences.append("all of them at one line: who is missing has no stack here, or the transport is stuck")


def _lines_differ(evidence: Evidence) -> bool:
    lines = {stack.rank: stack.own.line for stack in evidence.stacks if stack.rank is not None and stack.own}
    return len(lines) > 1 and len(set(lines.values())) > 1


def _told(wait: Wait) -> str:
    who = "a rank" if wait.rank is None else f"rank {wait.rank}"
    number = "" if wait.seq is None else f" #{wait.seq}"
    size = "" if wait.elements is None else f" of {_elements(wait.elements)}"
    return f"{who}: {wait.op or '?'}{number}{size}"


def _kinds_differ(evidence: Evidence) -> bool:
    texts = [sign.text for sign in evidence.signs if sign.kind == "mismatch"]
    return any(len(set(re.findall(r"OpType=(\w+)", text))) > 1 for text in texts)


def _quoted(evidence: Evidence, kind: str) -> str:
    sign = next(sign for sign in evidence.signs if sign.kind == kind)
    return f"{WHAT.get(kind, 'the log says')}: {sign.text}" + (f" ({sign.where})" if sign.where else "")


def _ranks(ranks: tuple[int, ...]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if len(ranks) > 2 and ranks == tuple(range(ranks[0], ranks[-1] + 1)):
        return f"ranks {ranks[0]}–{ranks[-1]}"
    return "ranks " + ", ".join(map(str, ranks))


def _warn_about_table(evidence: Evidence, verdict: Verdict) -> None:
    first = next((death for death in evidence.deaths if death.first and death.told), None)
    if first is not None and verdict.cause in ("diverged", "slow") and first.rank in verdict.waiting:
        verdict.sentences.append(
            f"torchrun's table calls rank {first.rank} the root cause: it was only the first to give up waiting"
        )

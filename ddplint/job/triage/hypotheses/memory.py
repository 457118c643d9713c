"""Memory ran out: of a GPU (inside of NCCL too), of the machine, of ``/dev/shm``, or a limit of processes."""

from __future__ import annotations

import re

from ddplint.job.triage.hypotheses.base import Hypothesis, place, quoted, who, whose
from ddplint.job.triage.timelines.case import Case

_ASKED = re.compile(r"[Tt]ried to allocate (?:more than )?([\d.]+) ?([KMGTPE]?)i?B?(?:ytes)?\b")
_FACTORS = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50, "E": 2.0**60}
_MOST = 2.0**47
"""Bytes: no machine has 128 TiB for one tensor."""

_WHAT = {
    "gpu-memory": (88, "GPU memory ran out"),
    "oom": (87, "host memory ran out, and the kernel or the scheduler killed a process"),
    "shm": (86, "shared memory (/dev/shm) ran out, or is too small"),
    "host-memory": (82, "host memory ran out"),
    "limit": (57, "a limit of processes, threads or open files was reached"),
}


def absurd(text: str) -> bool:
    """Whether an allocation was asked for more than any machine has."""
    found = _ASKED.search(text)
    return found is not None and float(found[1].strip(".") or 0) * _FACTORS[found[2]] > _MOST


def memory(case: Case) -> Hypothesis | None:
    """Lines about memory that the job did not get over."""
    found = Hypothesis("memory")
    for sign in case.of(*_WHAT):
        points, what = _WHAT[sign.kind]
        if sign.level in ("W", "I"):
            points = 30
        elif absurd(sign.text):
            points = 55
        standing = next((stack for stack in case.own_stacks if stack.order == sign.order), None)
        at = f", at {place(standing)}" if standing is not None and place(standing) else ""
        if not any(what in text for text in found.because):
            found.support(points, f"{what}: {whose(sign)}: {quoted(sign)}{at}", sign, [sign.rank])
        elif len(found.because) < 4:
            found.support(points - 30, f"{whose(sign)}: {quoted(sign)}", sign, [sign.rank])
    killed = [death for death in case.deaths if death.exitcode in (-9, 137) and death.rank is not None]
    if found.score and any(sign.kind == "oom" for sign in case.signs):
        for death in killed:
            found.support(
                50, f"{who(death.rank)} was killed ({death.text or 'SIGKILL'}; {death.where})", death, [death.rank]
            )
    bus = next((death for death in case.deaths if death.exitcode in (-7, 135)), None)
    if bus is not None:
        found.support(45, f"a bus error is most often shared memory that is too small ({bus.where})", bus)
    for sign in case.of("child"):
        if sign.number in (-7, 135, -9, 137):
            found.support(45, "a process was killed without a word, or met a bus error: look at memory first", sign)
    for sign in case.of("evicted"):
        if "memory" in sign.text:
            found.support(60, f"the machine ran short of memory: {quoted(sign)}", sign)
    for sign in case.of("worker"):
        if "signal: Killed" in sign.text:
            found.support(45, "a worker of a loader was killed: most often the out-of-memory killer (see dmesg)", sign)
    if found.score and case.of("shm-denied") and not case.of("gpu-memory", "oom", "host-memory"):
        found.doubt(30, "shared memory was not allowed, which is no question of its size")
    slurm = next((death for death in killed if "Out Of Memory" in death.text), None)
    if slurm is not None:
        found.support(
            84, f"{who(slurm.rank)} ran out of memory, says the scheduler ({slurm.where})", slurm, [slurm.rank]
        )
    if not found.score and killed:
        found.support(
            45, "a process was killed without a word: most often the out-of-memory killer (see dmesg)", killed[0]
        )
    return found if found.score else None

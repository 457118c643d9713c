"""Something is set wrongly: a port, an interface, a variable, a device, a group that nobody made."""

from __future__ import annotations

from ddplint.job.triage.hypotheses.base import Hypothesis, place, quoted
from ddplint.job.triage.timelines.case import Case

_KINDS = {
    "port": (82, "the port is taken"),
    "no-listen": (60, "the store, or a launcher, could not listen at its address"),
    "interface": (82, "the network interface asked for does not exist"),
    "environment": (86, "a launcher variable is not set"),
    "no-program": (76, "what was to be started is not there"),
    "not-started": (68, "the launcher could not start its processes, or their container"),
    "unplaced": (70, "the pod was not started"),
    "duplicate": (90, "two ranks use one GPU"),
    "device-held": (84, "another process, of a job before perhaps, still holds the device"),
    "ungrouped": (84, (
        "init_process_group was not called before the group is used: not started by a launcher, or "
        "the call is missing"
    )),
    "regrouped": (84, "init_process_group is called twice"),
    "device": (84, "a rank asks for a GPU that is not there"),
    "driver": (84, "the driver does not fit the CUDA that the program was built for"),
    "versions": (74, "versions of libraries or drivers differ"),
    "usage": (66, "NCCL calls its use invalid"),
    "backend": (84, "the backend is not built in, or not for this device"),
    "group-size": (66, "the number of processes does not fit"),
    "shm-denied": (88, "shared memory (/dev/shm) is not allowed to this user or container"),
    "fabric-manager": (70, "the fabric manager of the machine does not run"),
}  # fmt: skip


def _only_warned(kind: str, case: Case) -> bool:
    """Whether no line of this kind is graver than a warning."""
    return all(sign.level in ("W", "I") for sign in case.signs if sign.kind == kind)


_BESIDE = 8
"""Lines around a container that did not start, one of which may say why."""


def configuration(case: Case) -> Hypothesis | None:
    """Lines about settings that the job did not get over."""
    found = Hypothesis("configuration")
    for kind, (points, what) in _KINDS.items():
        for sign in case.of(kind)[:1]:
            weak = 35 if _only_warned(kind, case) else 0
            if weak and kind == "port" and not _only_warned("no-listen", case):
                weak = 12  # the warnings say why, and the error that it was given up
            stack = next((one for one in case.stacks if one.order == sign.order or sign.text[:40] in one.error), None)
            at = f", at {place(stack)}" if stack is not None and place(stack) else ""
            found.support(points - weak, f"{what}: {quoted(sign)}{at}", sign)
    if found.first is not None and found.first in case.of("not-started"):
        beside = [one for one in case.of("not-possible", "error") if abs(one.order - found.first.order) <= _BESIDE]
        found.because += [f"beside it: {quoted(one)}" for one in beside[:2]]
    failed = case.own_failure
    if case.ran and failed is not None and found.first is not None and case.later(found.first, failed):
        found.doubt(40, "a process had failed before: a restart meets a port or a group that is not free yet")
    return found if found.score else None

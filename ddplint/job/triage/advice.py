"""What to do next about a job that died, by the class of its cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.verdict import Verdict

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched

__all__ = ["next_steps"]

_SOURCE = "name the line: `ddplint triage LOG --source DIR` with the folder of the program"
_RECORDER = (
    "start it again with `TORCH_FR_BUFFER_SIZE=2000` and `TORCH_NCCL_DUMP_ON_TIMEOUT=1` (older releases of torch: "
    "`TORCH_NCCL_TRACE_BUFFER_SIZE`): at the next timeout the Flight Recorder writes what every rank had enqueued; "
    "give its folder with `--dump`"
)
_STACKS = "while it hangs: `py-spy dump --pid PID` on every rank, and give those files here too"
_DETAIL = "run it once with `TORCH_DISTRIBUTED_DEBUG=DETAIL`: torch then says which rank calls another collective"
_STEPS = {
    "diverged": (_DETAIL,),
    "slow": (
        "look at what the late rank does there; if it has to take that long, raise the timeout of init_process_group",
        "`ddplint --select DDP401,DDP402,DDP306 DIR` finds work of one rank that the others wait for",
    ),
    "died": (
        "read the traceback of the rank that died first: what the others say is a consequence",
        "exit code -9 without a traceback: ask the kernel log or the scheduler for the out-of-memory killer",
    ),
    "init": (
        "`ddplint doctor` on every node, before the job: it checks the address, the port, the interface and variables",
        "`torchrun ... -m ddplint.doctor` with the same command line checks the whole job",
    ),
    "sizes": (_DETAIL, "`ddplint --select DDP107,DDP111 DIR` finds operations whose sizes differ between ranks"),
    "transport": ("`torchrun ... -m ddplint.doctor --bisect` finds the transport that fails",),
    "hardware": (
        "look for Xid and NVLink lines in the kernel log of that node, and at `nvidia-smi -q`",
        "`torchrun ... -m ddplint.doctor --bisect` finds the transport that fails",
    ),
    "unknown": ("give the logs of all ranks (`torchrun --log-dir DIR --redirects 3`), not of rank 0 alone",),
}
_HANGS = ("diverged", "slow", "sizes", "unknown")


def next_steps(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> list[str]:
    """Steps that would tell more than is known, or mend it; the most useful first."""
    steps: list[str] = []
    if matched is not None and matched.fits:
        best = matched.candidates[0]
        steps.append(f"`ddplint rule {best.finding.code}` says what {best.finding.name} is and how to mend it")
        if best.finding.fix is not None:
            steps.append(f"`ddplint --diff {best.finding.place.file.path}` shows a fix: {best.finding.fix.title}")
    elif matched is None and verdict.cause in _HANGS:
        steps.append(_SOURCE)
    steps += _STEPS[verdict.cause]
    if verdict.cause in _HANGS:
        steps += [] if evidence.dumps or _is_gloo(evidence) else [_RECORDER]
        steps += [] if any(not stack.error for stack in evidence.stacks) else [_STACKS]
    return steps


def _is_gloo(evidence: Evidence) -> bool:
    """Whether the ranks talked over gloo, of which the Flight Recorder of NCCL writes nothing."""
    return any("gloo" in stack.error for stack in evidence.stacks)

"""What to do next, as far as this evidence asks for it, and whether to start the job again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.job.triage.facts import Death, Evidence, Sign
from ddplint.job.triage.hypotheses.base import spell_ranks
from ddplint.job.triage.verdict import Verdict

if TYPE_CHECKING:
    from ddplint.job.triage.program import Matched


_SOURCE = "name the line: `ddplint triage LOG --source DIR` with the folder of the program"
_RECORDER = (
    "start it again with `TORCH_FR_BUFFER_SIZE=2000` and `TORCH_NCCL_DUMP_ON_TIMEOUT=1` (older releases of torch: "
    "`TORCH_NCCL_TRACE_BUFFER_SIZE`): at the next timeout the Flight Recorder writes what every rank had enqueued; "
    "give its folder with `--dump`"
)
_NCCL_INFO = "start it again with `NCCL_DEBUG=INFO`: NCCL then writes which call failed, and why"
_STACKS = "while it hangs: `py-spy dump --pid PID` on every rank, and give those files here too"
_NO_TRACEBACK = (
    "look for a traceback above these lines and in the logs of each rank (`torchrun --log-dir DIR --redirects 3`); "
    "`@torch.distributed.elastic.multiprocessing.errors.record` on the main function puts it into torchrun's table"
)
_WHO_ENDED_IT = (
    "if the job is dead, it was ended without a word in this log: ask the scheduler and the kernel (`sacct -j JOB`, "
    "`kubectl describe pod POD`, `dmesg -T`), and give the launcher's log and those of all ranks"
)
_WHO_SENT = (
    "who sent the signal: `sacct -j JOB --format=JobID,State,ExitCode,End`, `kubectl describe pod POD`, or the process "
    "that started this launcher, which may have done so because another part of the job had failed"
)
_TO_ITS_END = (
    "give the launcher's log to its end: `failed (exitcode: N) local_rank: R` and a table with the root cause stand "
    "behind these lines"
)
_OWN_LOG = "its own log: `attempt_0/{}/stderr.log` below the folder that `torchrun --log-dir` was given"
_DETAIL = "run it once with `TORCH_DISTRIBUTED_DEBUG=DETAIL`: torch then says which rank calls another collective"
_HANGS = ("diverged", "slow", "sizes")

_RESTART = {
    "died": ("no", "the same program fails at the same place again, unless the data or the machine was the reason"),
    "memory": ("no", "the same batch on the same memory runs out again; change one of them"),
    "hardware": ("without the node", "a broken device fails again: take its machine out first"),
    "diverged": ("no", "the ranks diverge at the same place again"),
    "sizes": ("no", "the sizes differ at the same place again"),
    "slow": ("unclear", "whether it passes depends on why a rank was late: see the next steps"),
    "transport": ("yes", "a lost connection may not come again; if the same peer is named twice, take it out"),
    "init": ("after a check", "what could not be reached must be reachable first"),
    "configuration": ("no", "the setting has to change first"),
    "scheduler": ("yes", "nothing failed in the program: go on from the last checkpoint"),
    "unknown": ("unclear", "the reason is not known"),
    "healthy": ("not needed", "nothing failed"),
}


def restart(verdict: Verdict) -> tuple[str, str]:
    """Whether to start the job again, in a word, and why."""
    said = " ".join(verdict.sentences)
    if verdict.cause == "scheduler" and "by SIGHUP" in said:
        return "yes", "nothing failed in the program: keep it apart from the terminal this time"
    if verdict.cause == "scheduler" and "by SIGINT" in said:
        return "unclear", "somebody ended it: the reason is not here, a standstill perhaps"
    if verdict.cause == "scheduler" and "by SIGTERM" in said:
        return (
            "unclear",
            "who ended it, and why, is not in this log: the scheduler's records and the other machines' logs say it",
        )
    if verdict.cause == "scheduler" and "a node failed, says the scheduler" in said:
        return "without the node", "go on from the last checkpoint on other machines"
    killed = verdict.cause == "died" and any("SIGKILL" in text for text in verdict.sentences)
    if killed:
        return "unclear", "a process was killed from outside: find out by whom first"
    if verdict.cause == "died" and verdict.confidence == "low":
        return "unclear", "why the process ended is not known"
    return _RESTART[verdict.cause]


def next_steps(evidence: Evidence, verdict: Verdict, matched: Matched | None) -> list[str]:
    """Steps that would tell more than is known, or mend it; the most useful first."""
    if not verdict.failed:
        return [] if verdict.state == "ended" else [_WHO_ENDED_IT, _STACKS]
    steps: list[str] = []
    if matched is not None and matched.fits:
        best = matched.candidates[0]
        steps.append(f"`ddplint rule {best.finding.code}` says what {best.finding.name} is and how to mend it")
        if best.finding.fix is not None:
            steps.append(f"`ddplint --diff {best.finding.place.file.path}` shows a fix: {best.finding.fix.title}")
    steps += _of_cause(evidence, verdict)
    if matched is None and verdict.cause in ("diverged", "slow", "sizes", "unknown"):
        steps.append(_SOURCE)
    if verdict.untold and (
        verdict.cause in ("slow", "unknown", "diverged", "sizes") or _without_reason(evidence, verdict)
    ):
        steps.append(
            f"give the logs of {spell_ranks(verdict.untold[:64])} as well: the reason may be "
            "there (`torchrun --log-dir DIR --redirects 3` keeps one for each rank)"
        )
    if verdict.cause in _HANGS or _without_reason(evidence, verdict):
        steps += [] if evidence.dumps or _is_gloo(evidence) else [_RECORDER]
        steps += [] if any(not stack.error for stack in evidence.stacks) else [_STACKS]
    return list(dict.fromkeys(steps))


def _without_reason(evidence: Evidence, verdict: Verdict) -> bool:
    """Whether peers were lost and nothing says why."""
    fabric = any(sign.kind in ("completion", "fabric") for sign in evidence.signs)
    return verdict.cause == "transport" and not fabric


def _of_cause(evidence: Evidence, verdict: Verdict) -> list[str]:
    kinds = {sign.kind for sign in evidence.signs}
    who = spell_ranks(verdict.culprits) if verdict.culprits else "the rank that failed"
    cause = verdict.cause
    if cause == "died":
        return _after_a_death(kinds, verdict, who)
    if cause == "memory":
        return _after_memory(kinds, who)
    if cause == "hardware":
        return [
            f"take the node of {who} out, and look for Xid and NVLink lines in its kernel log and at `nvidia-smi -q`",
            "`torchrun ... -m ddplint.doctor` on that node alone, before it is used again",
        ]
    if cause in ("diverged", "sizes"):
        asked = "mismatch" in kinds or evidence.dumps
        select = "DDP107,DDP111" if cause == "sizes" else "DDP1"
        return [
            *([] if asked else [_DETAIL]),
            f"`ddplint --select {select} DIR` finds places where ranks diverge in this way",
        ]
    if cause == "slow":
        return _after_a_wait(kinds, verdict)
    if cause == "transport":
        return _after_the_network(evidence, kinds)
    if cause == "init":
        return [
            (
                "`ddplint doctor` on every node, before the job: it checks the address, the port, "
                "the interface and variables"
            ),
            "`torchrun ... -m ddplint.doctor` with the same command line checks the whole job",
        ]
    if cause == "configuration":
        return ["`ddplint doctor` on the node checks ports, interfaces, devices and launcher variables"]
    if cause == "scheduler":
        return _after_a_stop(verdict) or [
            (
                "save often enough that a restart loses little, and let the scheduler warn "
                "(`--signal`) before it ends the job"
            )
        ]
    said = " ".join(verdict.sentences)
    return [
        *([_NCCL_INFO] if _unnamed(evidence) else []),
        *([_WHO_ENDED_IT] if "the launcher was asked to stop" in said else []),
        *([_TO_ITS_END, _failed_first(verdict)] if "the launcher was ending its processes" in said else []),
        "give the logs of all ranks (`torchrun --log-dir DIR --redirects 3`), not of rank 0 alone",
    ]


def _unnamed(evidence: Evidence) -> bool:
    """Whether NCCL failed, and nothing of it says in which call."""
    texts = [stack.error for stack in evidence.stacks] + [sign.text for sign in evidence.signs]
    explained = any(sign.explains or sign.kind == "nccl-warn" or "NCCL WARN" in sign.text for sign in evidence.signs)
    return not explained and any("unhandled system error" in text or "unhandled cuda error" in text for text in texts)


def _after_a_stop(verdict: Verdict) -> list[str]:
    said = " ".join(verdict.sentences)
    if "by SIGTERM" in said:
        return [_WHO_SENT, _failed_first(verdict)]
    if "by SIGHUP" in said:
        return [
            (
                "start it in `tmux` or `screen`, or with `setsid`: torchrun takes SIGHUP itself and hands it to its "
                "workers, so `nohup` does not keep it from that"
            )
        ]
    if "by SIGINT" in said:
        return [f"was it interrupted because it stood still? {_STACKS}"]
    return []


def _failed_first(verdict: Verdict) -> str:
    """Where to look for what failed before a signal."""
    time = verdict.first.time if verdict.first is not None else None
    before = f" before {time % 86400 // 3600:02.0f}:{time % 3600 // 60:02.0f}:{time % 60:02.0f}" if time else ""
    return (
        f"what failed first: the earliest traceback, `failed (exitcode` or time-out{before} in the logs of the other "
        "machines and parts of the job; give the folder of all of them"
    )


def _after_a_death(kinds: set[str], verdict: Verdict, who: str) -> list[str]:
    said = " ".join(verdict.sentences)
    if "SIGKILL" in said:
        return [
            "ask the kernel log or the scheduler for the out-of-memory killer: `dmesg -T | grep -i oom`, `sacct -j JOB`"
        ]
    if "NCCL WARN Cuda failure" in said:
        return [
            (
                "NCCL met this error, not a kernel of the program: compare its version with the driver's, and see "
                "whether the fabric manager runs; `NCCL_DEBUG=INFO` shows the step"
            )
        ]
    if kinds & {"cuda", "assert"}:
        steps = [
            "run it once with `CUDA_LAUNCH_BLOCKING=1`: only then is the line of the traceback the one that failed"
        ]
        return (
            [
                *steps,
                (
                    "an assertion of an index kernel is an index outside of an embedding or a target "
                    "outside of the classes"
                ),
            ]
            if "assert" in kinds
            else steps
        )
    if "unreduced" in kinds:
        return [
            (
                "run it once with `TORCH_DISTRIBUTED_DEBUG=INFO`: torch then names the parameters "
                "and their indices on each rank"
            )
        ]
    if kinds & {"actor", "child"} and not verdict.first_is_stack:
        return ["read the log of the process that ended: what the launcher says is not the reason"]
    if not verdict.first_is_stack and "left no traceback" in said:
        number = first.text.rpartition(" ")[2] if isinstance(first := verdict.first, Death) else ""
        own = [_OWN_LOG.format(number)] if number.isdecimal() and "local rank" in said else []
        return [*own, _NO_TRACEBACK]
    return [f"read the traceback of {who}, which died first: what the others say is a consequence"]


def _after_memory(kinds: set[str], who: str) -> list[str]:
    if "shm" in kinds:
        return [
            (
                "give the container more shared memory (`--shm-size`, an emptyDir of medium Memory), "
                "or use fewer loader workers"
            )
        ]
    if "oom" in kinds or "host-memory" in kinds:
        return [
            "ask for more host memory, or use fewer loader workers and smaller caches: every rank of a node has its own"
        ]
    if "limit" in kinds:
        return ["look at `ulimit -u -n` and the pids limit of the container"]
    return [
        (
            f"smaller batches, or sharding; does {who} alone have longer samples? "
            "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` helps against fragments"
        )
    ]


def _after_a_wait(kinds: set[str], verdict: Verdict) -> list[str]:
    steps = []
    if verdict.missing:
        steps.append(
            f"look at what {spell_ranks(verdict.missing)} did then: a long save, evaluation or "
            "download, another branch, or nothing more"
        )
        steps.append("`ddplint --select DDP401,DDP402,DDP306 DIR` finds work of one rank that the others wait for")
    if "stuck" in kinds:
        steps.append(
            "a thread that holds the interpreter while it waits for the GPU shows in a stack: `py-spy dump --native`"
        )
    if not verdict.missing:
        steps.append(
            "look at the GPUs' and kernel logs of all nodes: no GPU that shows an error leaves a "
            "late rank, or a stuck kernel or link"
        )
    return steps


def _after_the_network(evidence: Evidence, kinds: set[str]) -> list[str]:
    steps = []
    if kinds & {"completion", "fabric"}:
        steps.append(
            "the peer and the adapters named above: `ibstat`, error counters of the port, the "
            "switch's log; take the node out if it comes again"
        )
    if "peer-late" in kinds:
        steps.append(
            "read the log of the remote rank that is named: whether it is late, dead or not "
            "reachable is said there only"
        )
    lost = kinds & {"remote", "closed", "store", "rendezvous", "socket"}
    if lost:
        steps.append("look for who ended first: a rank without a word in these logs, or the node that hosts the store")
    steps.append("`torchrun ... -m ddplint.doctor --bisect` finds the transport that fails")
    return steps


def _is_gloo(evidence: Evidence) -> bool:
    """Whether the ranks talked over gloo, of which the Flight Recorder of NCCL writes nothing."""
    texts = [stack.error for stack in evidence.stacks] + [
        sign.text for sign in evidence.signs if isinstance(sign, Sign)
    ]
    return any("gloo" in text for text in texts)

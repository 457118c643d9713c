"""All wordings in one table, what of a line makes it worth a closer look, and which errors are about somebody else."""

from __future__ import annotations

import re

from ddplint.job.triage.wordings.around import AROUND, ERROR, GRAVE, NOT_POSSIBLE, RANK_CODE, UNDERSTOOD_BY_NOBODY
from ddplint.job.triage.wordings.collectives import COLLECTIVES
from ddplint.job.triage.wordings.failures import FAILURES
from ddplint.job.triage.wordings.general import GENERAL
from ddplint.job.triage.wordings.network import NETWORK

_KINDS = (*COLLECTIVES, *FAILURES, *NETWORK, *AROUND, *GENERAL)
ROWS = tuple((kind, re.compile(pattern)) for kind, _, pattern in _KINDS)
"""Kind and pattern; the first that matches a line counts."""

HAPPENED: tuple[tuple[str, str], ...] = (
    ("aught collective operation timeout", r"[Cc]aught collective operation timeout"),
    ("Timed out waiting |wait timeout after ", r"Timed out waiting \d+ms for|wait timeout after \d+ms"),
    ("nqueued |Dump signal|dump signal", r"[Ll]ast enqueued (?:NCCL )?work|dump signal"),
    ("Some NCCL operations have failed", r"Some NCCL operations have failed"),
    ("recent call", r"Traceback \(most recent call last\)|most recent call first"),
    ("Thread ", r"^(?:Process|Thread) \d+"),
    ("xception in thread", r"^Exception in thread \S"),
    (
        "failed (exitcode|Root Cause|exitcode",
        r"failed \(exitcode: |^\s*(?:rank|time|exitcode)\s+: |Root Cause|^\[\d+\]:$",
    ),
    ("noticed that process rank", r"noticed that process rank \d+"),
    (
        "Process name:|Exit code:|EXIT CODE:|MPI_ABORT|called MPI_Abort",
        r"^\s*(?:Process name:|Exit code:|=\s+EXIT CODE:)|MPI_ABORT was invoked on rank|application called MPI_Abort",
    ),
    ("NCCL WARN", r"NCCL WARN "),
    (
        "ailed|ailure|AILED|AILURE|atal|borted|borting|bort:|rash|nexpectedly|anic|rror |nhandled exception",
        UNDERSTOOD_BY_NOBODY.pattern,
    ),
    (
        "nable to|ould not|annot |uch file|ermission denied|efused|ost co|waiting to start|UNAVAILABLE|DEADLINE_EX",
        NOT_POSSIBLE.pattern,
    ),
    ("before timing out", r"before timing out"),
    ('File "', r'^\s*(?:> )?File "[^"]+", line \d+'),
    ("│", r"│.*\.py:\d+ in \S"),
    ("command not found|can't open file", r": command not found\s*$|can't open file '"),
    (".cpp:|.cc:|.h:", GRAVE.pattern),
    (" code|exitcode", RANK_CODE.pattern),
    ("task", r"tasks? [\d,\[\] -]+: (?:Killed|Aborted|Exited|Segm|Out|Bus|Terminated)"),
    (" terminated with ", r"rocess \d+ terminated with "),
    ("Last error:", r"^\s*Last error:"),
    ("nranks ", r"\brank \d+ nranks \d+"),
    ("RankID:", r"RankID:\d+"),
    ("Exception ignored in", r"Exception ignored in"),
    (
        "will restart|estarting worker|estart",
        r"will restart worker group|Restarting worker group|[Rr]estart(?:ing)? (?:attempt|count)[ =:#]*\d+|restart_count=\d",
    ),
    (
        "Killed|Aborted",
        r"line \d+: +\d+ (?:Killed|Aborted)|(?:^|: |\d )(?:Killed|Aborted)(?: \(core dumped\)|\s*$| +\S*(?:python|torchrun|srun|bash))|[\])\\>]\s*Killed\s*$|^Killed[a-z]+ ",
    ),
    (
        "Error|Exception|Failure|ERROR|CRITICAL|FATAL|atal|error: |Exit|nhandled exception",
        ERROR.pattern,
    ),
)
"""Words and pattern of lines with facts of their own, read by :mod:`ddplint.job.triage.reading`."""

_NAME = re.compile(r"\?P<\w+>")
TRIGGER = re.compile(
    "|".join([*(pattern for _, pattern in HAPPENED), *(_NAME.sub("?:", pattern.pattern) for _, pattern in ROWS)])
)
"""Whether a line is worth a closer look."""

CONSEQUENCES = re.compile(
    r"Connection closed by (?:remote )?peer|Connection (?:was )?reset|Broken ?[Pp]ipe|Name or service not known|failure in name resolution|Timed out waiting \d+ms|pair closure|wait timeout after"
    r"|NCCL communicator was aborted|ncclCommAbort|collective operation timeout|SignalException|KeyboardInterrupt"
    r"|Failed to recv|Signal(?:s\.)? ?(?:15|SIGTERM)|ChildFailedError|SIGTERM|ncclRemoteError|CalledProcessError"
    r"|connect\(\) timed out|client socket has (?:timed out|failed)|clients joined|Timed out initializing|recvValue failed|sendBytes failed"
    r"|Rendezvous\w*Error|monitoredBarrier|EADDRINUSE|[Aa]ddress already in use|gai error|DistNetworkError|DistStoreError"
    r"|unhandled (?:cuda|system)|NCCL error|expected, but not set|Unable to find address|no socket interface"
    r"|Detected mismatch between coll|Mismatched collective|has not been initialized|group twice"
    r"|Received data size doesn't|Socket Timeout|watchdog thread|Expected to have finished reduction"
    r"|Process(?:Raised|Exited)Exception|RayTaskError|ActorDiedError|RayActorError|SystemExit|error code is [67]\b"
    r"|DDP expects same model across|Horovod has been shut down|ExceptionGroup\b|\bNCCL operation"
    r"|connectFullMesh|transport/tcp/\w+\.cc:|driver version is insufficient|forward compatibility was attempted|DataLoader worker \(pid|Barrier timed out|appears not to match|STEP COUNT|[Ss]tep count"
    r"|XlaRuntimeError: (?:DEADLINE_EXCEEDED|UNAVAILABLE|CANCELLED|ABORTED)\b|Py4JJavaError|Job aborted due to stage failure|one or more (?:processes|workers|tasks) (?:exited|failed|died)|\bin a (?:background|child|worker) process\b"
    r"|[Ss]ee (?:the )?(?:stack trace|traceback|logs?|root cause|errors?)[\w ]{0,24} (?:above|root cause)"
)
"""Errors that are about other ranks, the network, the group, or a child: they do not say what this rank did wrong."""

_OF_SERVICES = re.compile(
    r"HTTPS?ConnectionPool|requests\.exceptions|urllib3|aiohttp|botocore|huggingface\.co|hf\.co\b"
)


def follows(error: str) -> bool:
    """Whether an error is about somebody else. What a service outside of the job did not answer is the process's own."""
    return bool(CONSEQUENCES.search(error)) and not of_service(error)


def of_service(error: str) -> bool:
    """Whether an error is about a service outside of the job."""
    return bool(_OF_SERVICES.search(error))


_GATES = (
    "rror", "ailed", "imed out", "imeout", "onnect", "emory", "NCCL", "nccl", "recent call", "terminated", "illed",
    "etected", "watchdog", "CUDA", "signal", "Signal", "ot completion", "exit", "xited", "rank", "onitoredBarrier",
    "CANCELLED", "orker", "nitial", "hared", "out of", "TIME", "limit", "xception", "restart", "oom", "FAIL", "device", "Thread ", "anager",
    "didn't", "borted", " resol", "ocket", "ouble", "roken ", "ow remap", "Exit", "MPI_",
    "Call to", "ailure", "EI000", "victed", "nvalid", "LIMIT", "rrupt", "Node", "IBV_", "eempt", "estart", "FATAL",
)  # fmt: skip
"""Fragments that are rare in what a healthy program writes and common to many words: looked for first, in a piece of a
log at once."""


def _gated() -> dict[bytes, tuple[bytes, ...]]:
    """Each fragment with the words that hold it; a word without one stands for itself."""
    every = {
        word
        for words in (
            *(words for words, _ in HAPPENED),
            *(words for _, words, _ in _KINDS),
        )
        for word in words.split("|")
    }
    found: dict[str, list[str]] = {}
    for word in sorted(every):
        found.setdefault(next((gate for gate in _GATES if gate in word), word), []).append(word)
    return {gate.encode(): tuple(word.encode() for word in words) for gate, words in found.items()}


WORDS = _gated()
_OF_LINES = {gate.decode(): tuple(word.decode() for word in words) for gate, words in WORDS.items()}


def loud(text: str) -> bool:
    """Whether a line holds one of the words at all, or may be a row of a table, which has none."""
    if " : " in text or text.startswith(("Process ", "[")):
        return True
    return any(gate in text and any(word in text for word in words) for gate, words in _OF_LINES.items())


def quiet(data: bytes) -> bool:
    """Whether no line of ``data`` can tell anything. Text that is not in an ASCII-like encoding is never quiet."""
    if b"\0" in data:
        return False
    return not any(gate in data and any(word in data for word in words) for gate, words in WORDS.items())

"""The wordings: which line of a log stands for what. A row per wording, of torch 1.9 to 2.13 and the launchers."""

from __future__ import annotations

import re

__all__ = ["CONSEQUENCES", "HAPPENED", "LEAVES", "SIGNS", "TRIGGER", "WHAT"]

SIGNS: tuple[tuple[str, str], ...] = (
    # never initialised
    ("address", r"gai error|Name or service not known|Temporary failure in name resolution|nodename nor servname"),
    ("port", r"EADDRINUSE|[Aa]ddress already in use"),
    ("interface", r"Unable to find address for: (\S+)|Bootstrap : no socket interface found|No socket interface found"),
    ("environment", r"environment variable (\w+) expected, but not set"),
    ("rendezvous", r"Rendezvous(?:Timeout|Connection|Closed|State)Error"),
    ("join", r"waiting for clients\. (\d+)/(\d+) clients joined"),
    ("join", r"Timed out initializing process group.*?world_size=(?P<world>\d+), worker_count=(?P<count>\d+)"),
    ("init", r"Timed out initializing process group"),
    ("init", r"setting up NCCL communicator and retrieving ncclUniqueId.*(?:[Tt]imeout|but got error)"),
    ("connect", r"client socket has (?:timed out|failed to connect)|TCP client failed to connect"),
    ("connect", r"No route to host|Call to connect returned|Connection refused|connect\(\) timed out"),
    ("store", r"Failed to recv, got 0 bytes|recvValue failed|sendBytes failed"),
    # sizes and kinds
    ("mismatch", r"Detected mismatch between collectives on ranks\.?(.*)"),
    ("sizes", r"collective mismatch error, local size \d+ remote size \d+"),
    ("sizes", r"Received data size doesn't match expected size|op\.preamble\.length <= op\.nbytes"),
    # hardware
    ("hardware", r"[Uu]nhandled cuda error|[Uu]ncorrectable (?:ECC|NVLink)|\bXid\b.*\d+|fallen off the bus"),
    ("hardware", r"unspecified launch failure|CUDA error: (?:hardware|device not ready|uncorrectable)"),
    ("hardware", r"ncclSystemError|ncclRemoteError|[Uu]nhandled system error|got completion (?:from peer )?.*error"),
    ("duplicate", r"Duplicate GPU detected"),
    # killed from outside
    ("oom", r"oom[-_]kill|Out of memory: Kill|OOMKilled|oom_kill event"),
    ("shm", r"Bus error|insufficient shared memory|No space left on device.*shm|out of shared memory"),
    # the others
    ("lagging", r"ranks? \[(?P<ranks>[\d, ]+)\] are the lagging ranks"),
    ("counts", r"[Cc]ommunicator ranks have different \w+ operation counts"),
    ("behind", r"\[(?P<ranks>[\d, ]+)\] (?:finished collective #\d+, but didn't join|joined but didn't finish)"),
    ("absent", r"Ranks? (?P<ranks>\d[\d, ]*) failed to pass monitoredBarrier"),
    ("faulty-elsewhere", r"successfully reached monitoredBarrier, but received errors.*rank (\d+)"),
    ("waited", r"Application timeout caused pair closure"),
    ("closed", r"Connection closed by peer|Connection reset by peer|Broken pipe"),
    ("stuck", r"watchdog got stuck for \d+ seconds|ProcessGroupNCCL watchdog hang"),
    ("communicator", r"ncclCommAbort|ncclInProgress|NCCL communicator was aborted"),
)
"""Kind and pattern; the first that matches a line counts. ``ranks``: those the line says are missing."""

HAPPENED = re.compile(
    r"[Cc]aught collective operation timeout|Timed out waiting \d+ms for|wait timeout after \d+ms"
    r"|Traceback \(most recent call last\)|most recent call first|^(?:Process|Thread) \d+"
    r"|failed \(exitcode: |^\s*(?:rank|time|exitcode)\s+: |Root Cause|^\[\d+\]:$|[Ll]ast enqueued (?:NCCL )?work"
    r"|Some NCCL operations have failed|task \d+: (?:Killed|Aborted|Exited|Segm|Out)|^Segmentation fault"
    r"|rocess \d+ terminated with "
)
"""Lines with facts of their own, read by :mod:`ddplint.job.triage.reader`."""

TRIGGER = re.compile("|".join([HAPPENED.pattern, *(re.sub(r"\?P<\w+>", "?:", pattern) for _, pattern in SIGNS)]))
"""Whether a line is worth a closer look."""

CONSEQUENCES = re.compile(
    r"Connection closed by peer|Connection reset|Broken pipe|Timed out waiting \d+ms|pair closure|wait timeout after"
    r"|NCCL communicator was aborted|ncclCommAbort|collective operation timeout|SignalException|KeyboardInterrupt"
    r"|Failed to recv|Signal(?:s\.)? ?(?:15|SIGTERM)|ChildFailedError|SIGTERM|ncclRemoteError|CalledProcessError"
    r"|client socket has (?:timed out|failed)|clients joined|Timed out initializing|recvValue failed|sendBytes failed"
    r"|Rendezvous\w*Error|monitoredBarrier|EADDRINUSE|gai error|DistNetworkError|DistStoreError"
    r"|unhandled (?:cuda|system)|NCCL error|expected, but not set|Unable to find address|no socket interface"
    r"|Detected mismatch between coll"
    r"|Received data size doesn't|Socket Timeout|watchdog thread"
)
"""Errors that are about other ranks, the network or the group: they do not say what this rank did wrong."""

LEAVES = {"-15": "was asked to stop (SIGTERM)", "-9": "was killed (SIGKILL)", "-6": "aborted (SIGABRT)"}

WHAT = {
    "address": "the master's address does not resolve",
    "port": "the master's port is taken",
    "interface": "the network interface asked for does not exist",
    "environment": "a launcher variable is not set",
    "rendezvous": "the rendezvous of the launchers failed",
    "join": "not all processes came to the process group",
    "init": "the process group was not complete in time",
    "connect": "a process cannot reach the master",
    "store": "the process that hosts the store went away or cannot be reached",
    "hardware": "the driver, the GPU or the fabric reported an error",
    "apart": "the recorded histories differ first",
    "counts": "NCCL's own observer saw ranks at different places",
    "duplicate": "two ranks use one GPU",
}

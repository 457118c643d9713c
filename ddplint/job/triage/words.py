"""Words of which a line holds at least one when it tells anything: most of a log is set aside by looking for them.

Looking for a word in a block of bytes is much faster than reading its lines. Common words come first, and only
where one occurs, those that are meant.
"""

from __future__ import annotations

__all__ = ["WORDS", "quiet"]

WORDS: dict[str, tuple[str, ...]] = {
    "imeout": (
        "aught collective operation timeout",
        "wait timeout after ",
        "Application timeout caused",
        "RendezvousTimeoutError",
        "ncclUniqueId",
    ),
    "imed out": ("Timed out waiting ", "Timed out initializing", "client socket has ", "connect() timed out"),
    "recent call": ("Traceback (most recent call last)", "most recent call first"),
    "Thread ": ("Thread ",),
    "exitcode": ("exitcode",),
    "ailed": (
        "failed (exitcode",
        "NCCL operations have failed",
        "client socket has ",
        "TCP client failed",
        "recvValue failed",
        "sendBytes failed",
        "failed to pass monitoredBarrier",
    ),
    "recvValue": ("recvValue failed",),
    "Root Cause": ("Root Cause",),
    "last enqueued": ("last enqueued ",),
    "Last enqueued": ("Last enqueued ",),
    " terminated with ": (" terminated with ",),
    "egmentation": ("Segmentation fault",),
    ": ": (": Killed", ": Aborted", ": Exited", ": Segm", ": Out", "Out of memory: Kill"),
    "rror": (
        "gai error",
        "RendezvousConnectionError",
        "RendezvousClosedError",
        "RendezvousStateError",
        "but got error",
        "collective mismatch error",
        "nhandled cuda error",
        "CUDA error: ",
        "ncclSystemError",
        "ncclRemoteError",
        "nhandled system error",
        "got completion ",
        "Bus error",
        "received errors",
    ),
    " resolution": ("failure in name resolution",),
    "not known": ("Name or service not known",),
    "servname": ("nodename nor servname",),
    "ddress": ("EADDRINUSE", "ddress already in use", "Unable to find address for: "),
    "EADDRINUSE": ("EADDRINUSE",),
    "interface found": ("o socket interface found",),
    " expected, but not set": (" expected, but not set",),
    "clients joined": ("clients joined",),
    "o route to host": ("No route to host",),
    "Call to connect": ("Call to connect returned",),
    "onnection ": ("Connection refused", "Connection closed by peer", "Connection reset by peer"),
    "got 0 bytes": ("Failed to recv, got 0 bytes",),
    "mismatch": ("Detected mismatch between collectives",),
    "eceived data size": ("Received data size doesn't match",),
    "preamble": ("op.preamble.length",),
    "ncorrectable": ("ncorrectable ",),
    "Xid": ("Xid",),
    "fallen off": ("fallen off the bus",),
    "launch failure": ("unspecified launch failure",),
    "uplicate GPU": ("Duplicate GPU detected",),
    "oom": ("oom-kill", "oom_kill"),
    "OOMKilled": ("OOMKilled",),
    "hared memory": ("insufficient shared memory", "out of shared memory"),
    "No space left": ("No space left on device",),
    "lagging": (" are the lagging ranks",),
    "operation counts": ("operation counts",),
    "didn't": ("didn't join", "didn't finish"),
    "onitoredBarrier": ("monitoredBarrier",),
    "roken pipe": ("Broken pipe",),
    "watchdog": ("watchdog got stuck", "watchdog hang"),
    "ncclCommAbort": ("ncclCommAbort",),
    "ncclInProgress": ("ncclInProgress",),
    "was aborted": ("communicator was aborted",),
}
"""A common word, and behind it those of which one must be there as well."""

_BYTES = tuple((word.encode(), tuple(one.encode() for one in words)) for word, words in WORDS.items())


def quiet(data: bytes) -> bool:
    """Whether no line of ``data`` can tell anything. Text that is not in an ASCII-like encoding is never quiet."""
    if b"\0" in data:
        return False
    return not any(word in data and any(one in data for one in words) for word, words in _BYTES)

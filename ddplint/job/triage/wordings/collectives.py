"""What ranks did together: other operations, other numbers, other sizes, or too late."""

from __future__ import annotations

COLLECTIVES: tuple[tuple[str, str, str], ...] = (
    ("mismatch", "etected mismatch between coll", r"Detected mismatch between collectives on ranks"),
    ("mismatch", "ismatched collective", r"[Mm]ismatched collectives? detected[^\n]*"),
    ("counts", "operation counts", r"[Cc]ommunicator ranks have different \w+ operation counts"),
    ("lagging", " are the lagging ranks", r"ranks? \[(?P<ranks>[\d, ]+)\] are the lagging ranks"),
    (
        "behind",
        "didn't join",
        r"\[(?P<ranks>[\d, ]+)\] finished collective #(?P<number>\d+), but didn't join",
    ),
    (
        "joined",
        "joined but didn't",
        r"\[(?P<ranks>[\d, ]+)\] joined but didn't finish collective #(?P<number>\d+)",
    ),
    ("snapshot", " started |ed ranks:| finished ", r"^\s*\[(?P<ranks>\d[\d, ]*)\] (?:started|finished) [A-Z_]+\s*$"),
    ("absent", "failed to pass monitoredBarrier", r"Ranks? (?P<ranks>\d[\d, ]*) failed to pass monitoredBarrier"),
    ("absent", "/replica:", r"^/job:\w+/replica:\d+/task:(?P<ranks>\d+)$"),
    ("absent", "missing ranks: ", r"\[missing ranks: ?(?P<ranks>\d[\d, ]*)\]"),
    ("stalled", "ready ranks: ", r"\[ready ranks: ?\d[\d, ]*\]"),
    ("peer-late", "by subset of ranks", r"by subset of ranks and are waiting for remainder of ranks"),
    ("elsewhere", "reached monitoredBarrier", r"successfully reached monitoredBarrier, but received errors"),
    (
        "uneven",
        "neven workload|different number of ",
        r"uneven workload distribution|different number of (?:batches|inputs|steps)",
    ),
    ("unreduced", "finished reduction", r"Expected to have finished reduction in the prior iteration"),
    (
        "unreduced-indices",
        "did not receive grad",
        r"Parameter indices (?:which|that) did not receive grad(?:ient)?s? for rank (?P<ranks>\d+): (?P<indices>[\d ,.]+)",
    ),
    (
        "unreduced-names",
        "did not receive grad",
        r"Parameters (?:which|that) did not receive grad(?:ient)?s? for rank (?P<ranks>\d+): ",
    ),
    ("twice", "Parameter at index", r"Parameter at index (?P<number>\d+)(?: with name \S+| has been)"),
    ("steps", "tep count|STEP COUNT", r"[Ss]tep count (?:mismatch|divergence)|STEP COUNT DIVERGENCE"),
    (
        "verify",
        "appears not to match|inconsistent ",
        r"appears not to match (?:sizes|strides) of the same param in process|inconsistent \d+ params",
    ),
    ("sizes", "collective mismatch error", r"collective mismatch error, local size \d+ remote size \d+"),
    (
        "sizes",
        "eceived data size|op.preamble",
        r"Received data size doesn't match expected size|op\.preamble\.length <= op\.nbytes",
    ),
    ("sizes", "essage truncated|MPI_ERR_TRUNCATE", r"Message truncated(?:, error stack)?|MPI_ERR_TRUNCATE"),
    (
        "stuck",
        "watchdog got stuck|watchdog hang|eartbeat monitor",
        r"watchdog got stuck for (?P<seconds>\d+) seconds|ProcessGroupNCCL watchdog hang|Heartbeat monitor timed out",
    ),
    ("unread", "shared memory broadcast block", r"No available shared memory broadcast block found in \d+ seconds"),
    ("gave-up", "a dump signal due", r"a dump signal due to a collective timeout from this local rank"),
    ("told-of-another", "ump signal from another", r"dump signal (?:due to [^\n]{0,60})?from another (?:local )?rank"),
    ("gave-up", "Some NCCL operations have failed", r"Some NCCL operations have failed or timed out"),
    (
        "communicator",
        "ncclCommAbort|ncclInProgress|was aborted",
        r"ncclCommAbort|ncclInProgress|NCCL communicator was aborted",
    ),
    ("pytorch-desync", "Timeout at collective", r"Timeout at collective: (?P<op>\w+), #(?P<number>\d+)"),
)
"""Kind, words and pattern; the first that matches a line counts."""

"""What torchrun, spawn and Slurm say of the processes they started: how each one ended."""

from __future__ import annotations

import re
import signal

from ddplint.job.triage.facts import Death
from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.numbers import listed, whole
from ddplint.job.triage.wordings.around import RANK_CODE

_SPAWN = re.compile(r"[Pp]rocess (\d+) terminated with (?:signal (SIG[A-Z]+)|exit code (\d+))")
_AGENT = re.compile(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+)")
_TABLE = re.compile(r"\s*(rank|time|exitcode|host)\s+: (\S+)")
_BEHIND = 3
"""Lines within which the traceback of an entry of a table begins."""
_SLURM = re.compile(
    r"tasks? ([\d,\[\] -]+): (Killed|Aborted|Exited with exit code (\d+)|Segmentation fault"
    r"|Out Of Memory|Bus error|Terminated)"
)
_MPI = re.compile(r"noticed that process rank (\d+) with PID .*exited on signal (\d+)")
_ABORT = re.compile(r"MPI_ABORT was invoked on rank (\d+) in communicator \S+(?:\s+with errorcode (-?\d+))?")
_CALLED = re.compile(r"application called MPI_Abort\(\w+, (-?\d+)\) - process (\d+)")
_MPI_NAME = re.compile(r"\s*Process name: \[\[\d+,\d+\],(\d+)\]")
_MPI_CODE = re.compile(r"(?:\s*Exit code:|=\s+EXIT CODE:)\s+(-?\d+)")
_SHELL = re.compile(
    r"line \d+: +\d+ (Killed|Aborted)\b"
    r"|(?:^|: |\d )(Killed|Aborted)(?: \(core dumped\)|\s*$| +\S*(?:python|torchrun|bash))"
    r"|[\])\\>]\s*(Killed)\s*$|^(Killed)[a-z]+ "
)
_CODES = {
    "Killed": -9,
    "Aborted": -6,
    "Segmentation fault": -11,
    "Out Of Memory": -9,
    "Bus error": -7,
    "Terminated": -15,
}


class Launchers:
    """Reads the rows of a table; each entry is complete with its exit code."""

    def __init__(self) -> None:
        self.table: dict[str, str] = {}
        self.ended = -9
        """The line of the last exit code in a table."""
        self.named: int | None = None
        """The rank that mpirun names in the line before its exit code."""

    def whose(self, number: int) -> int | None:
        """The rank of the entry whose traceback begins on line ``number``."""
        return whole(self.table.get("of")) if number - self.ended <= _BEHIND else None

    def take(self, line: Line) -> list[Death]:
        """The deaths that a line reports."""
        text = line.text
        if "Root Cause" in text:
            self.table = {"first": "yes"}
        if agent := _AGENT.search(text):
            # The number is that on one machine: the table behind it says which rank it was.
            return [Death(None, whole(agent[1]), f"local rank {agent[2]}", where=line.where)]
        if death := self._by_mpi(text, line):
            return [death]
        if ended := _SPAWN.search(text):
            number = -getattr(signal, ended[2], 0) if ended[2] else whole(ended[3])
            return [Death(whole(ended[1]), number or None, where=line.where)]
        if slurm := _SLURM.search(text):
            code = _CODES.get(slurm[2], whole(slurm[3]))
            ranks = listed(slurm[1])
            return [Death(rank, code, slurm[2], where=line.where) for rank in ranks[:64]]
        if entry := _TABLE.match(text):
            return self._entry(entry[1], entry[2], line)
        if ended := RANK_CODE.search(text):
            told = f"its log is {ended[3]}" if ended[3] else ""
            return [Death(whole(ended[1]), whole(ended[2]), told, where=line.where)]
        if shell := _SHELL.search(text):
            return [Death(line.rank, _CODES[shell[1] or shell[2] or "Killed"], text.strip()[:200], where=line.where)]
        return []

    def _by_mpi(self, text: str, line: Line) -> Death | None:
        if killed := _MPI.search(text):
            return Death(whole(killed[1]), -(whole(killed[2]) or 0), where=line.where)
        if aborted := _ABORT.search(text):
            return Death(whole(aborted[1]), whole(aborted[2]) or 1, "MPI_ABORT", where=line.where)
        if called := _CALLED.search(text):
            return Death(whole(called[2]), whole(called[1]) or 1, "MPI_ABORT", where=line.where)
        if name := _MPI_NAME.match(text):
            self.named = whole(name[1])
        elif code := _MPI_CODE.match(text):
            rank, self.named = self.named, None
            return Death(rank, whole(code[1]), "mpirun", "mpirun", first=True, where=line.where)
        return None

    def _entry(self, key: str, value: str, line: Line) -> list[Death]:
        self.table[key] = value
        if key != "exitcode":
            return []
        self.ended = line.number
        table, self.table = self.table, {"of": self.table.get("rank", "")}
        rank, code = whole(table.get("rank")), whole(value)
        return [Death(rank, code, table.get("host", ""), table.get("time", "-"), "first" in table, line.where)]

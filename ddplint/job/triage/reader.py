"""Logs → evidence. One pass, a bounded amount kept, whatever the log's size."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from dataclasses import replace

from ddplint.job.triage.facts import Code, Death, Evidence, Sign, Stack, Wait
from ddplint.job.triage.lines import Block, Line, blocks
from ddplint.job.triage.signs import SIGNS, TRIGGER
from ddplint.job.triage.words import quiet

__all__ = ["read_logs", "take"]

_SIGNS = tuple((kind, re.compile(pattern)) for kind, pattern in SIGNS)
_OWN_RANK = re.compile(r"\[[Rr]anks? (\d+)(?:-(\d+))?\]|[ \[][Rr]ank (\d+)\]|on [Rr]ank:? (\d+)")
_WORK = re.compile(r"WorkNCCL\(((?:[^()]|\([^()]*\))*)\)?")
_FIELD = re.compile(r"(SeqNum|OpType|NumelIn|TensorShape|Timeout\(ms\))=(\[[^\]]*\]|[^,)\s]+)")
_GLOO = re.compile(r"Timed out waiting (\d+)ms for (?:recv|send) operation")
_KEYS = re.compile(r"wait timeout after (\d+)ms, keys: (\S+)")
_ENQUEUED = re.compile(r"[Ll]ast enqueued (?:NCCL )?work: (-?\d+)\b.{0,120}?, last completed (?:NCCL )?work: (-?\d+)")
_SPIED = re.compile(r"Process \d+: .*--local[-_]rank[= ](\d+)")
_SPAWNED = re.compile(r"-- Process (\d+) terminated with the following error")
_SPAWN_ENDED = re.compile(r"[Pp]rocess (\d+) terminated with (?:signal (SIG[A-Z]+)|exit code (\d+))")
_FRAME = re.compile(r'\s*File "([^"]+)", line (\d+),? in (.+)')
_SPY = re.compile(r"\s+(\S+) \(([^()]+\.py):(\d+)\)")
_NATIVE = re.compile(r"#\d+ (\S+) from (\S+?):(\d+)")
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Failure)\b|[a-z_]+(?:\.\w+)+(?::|$)")
_ABORTED = re.compile(r"\s*what\(\):\s*(.+)")
_AGENT = re.compile(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+)")
_TABLE = re.compile(r"\s*(rank|time|exitcode)\s+: (\S+)")
_SLURM = re.compile(r"task (\d+): (Killed|Aborted|Exited with exit code (\d+)|Segmentation fault|Out Of Memory)")
_SAID = re.compile(r"\s*$|\[[EWI]\d{3,4} |  |\^")
_LONGEST_STACK = 200
_LED_UP = 4096
"""Bytes before a piece in which something happens that are read with it: a table may begin there."""


class _Stacks:
    """Frames that are being read, per stream."""

    def __init__(self) -> None:
        self.frames: dict[str, list[Code]] = {}
        self.inner_first: set[str] = set()
        self.ranks: dict[str, int | None] = {}
        self.announced: dict[str, int | None] = {}

    def begin(self, line: Line, inner_first: bool) -> None:
        if len(self.frames) > 4096:
            self.frames.clear()
        self.frames[line.stream] = []
        announced = self.announced.pop(line.stream, None)
        self.ranks[line.stream] = line.rank if announced is None else announced
        self.inner_first.discard(line.stream)
        if inner_first:
            self.inner_first.add(line.stream)

    def end(self, stream: str, error: str, where: str) -> Stack | None:
        frames = self.frames.pop(stream, None)
        if not frames:
            return None
        ordered = frames[::-1] if stream in self.inner_first else frames
        return Stack(self.ranks.get(stream), tuple(ordered), error, where)


def read_logs(paths: Iterable[str], evidence: Evidence) -> None:
    """Add what the logs tell to ``evidence``; one that cannot be read becomes one of its problems."""
    for path in paths:
        stacks, table = _Stacks(), dict[str, str]()
        try:
            _read(path, evidence, stacks, table)
        except FileNotFoundError:
            evidence.problems.append(f"{path}: no such file")
        except OSError as error:
            evidence.problems.append(f"{path}: cannot be read to its end: {error.strerror or error}")
        for stream in list(stacks.frames):
            _close(stacks, stream, "", path, evidence)


def _read(path: str, evidence: Evidence, stacks: _Stacks, table: dict[str, str]) -> None:
    """One log. Of pieces in which nothing happens, which are most, only the ranks' last lines are looked at."""
    before: Block | None = None
    for block in blocks(path):
        if not stacks.frames and quiet(block.data):
            for line in block.last_lines():
                _last_said(line, evidence)
            before = block
        else:
            for line in before.tail(_LED_UP).lines() if before is not None else ():
                take(line, evidence, stacks, table)
            for line in block.lines():
                take(line, evidence, stacks, table)
            before = None
        evidence.lines += block.data.count(b"\n")


def _last_said(line: Line, evidence: Evidence) -> None:
    if line.rank is None:
        return
    evidence.seen.add(line.rank)
    if not _SAID.match(line.text):
        evidence.last_said[line.rank] = line.text[:200]


def take(line: Line, evidence: Evidence, stacks: _Stacks, table: dict[str, str]) -> None:
    """Add what one line tells."""
    if line.rank is not None:
        evidence.seen.add(line.rank)
    if line.stream in stacks.frames and _continue_stack(line, evidence, stacks):
        return
    if TRIGGER.search(line.text):
        _look_closer(line, evidence, stacks, table)
    else:
        _last_said(line, evidence)


def _continue_stack(line: Line, evidence: Evidence, stacks: _Stacks) -> bool:
    """Whether the line belongs to the stack that its stream is in the middle of."""
    text, frames = line.text, stacks.frames[line.stream]
    found, spied = _FRAME.match(text), _SPY.match(text)
    if found and len(frames) < _LONGEST_STACK:
        frames.append(Code(found[1], _int(found[2]) or 0, found[3].strip()))
        return True
    if (spied and not frames) or (spied and line.stream in stacks.inner_first):
        frames.append(Code(spied[2], _int(spied[3]) or 0, spied[1]))
        return True
    if text.startswith((" ", "\t")):
        return not text.strip() or not TRIGGER.search(text) or "most recent call" not in text
    if line.stream in stacks.inner_first:
        _close(stacks, line.stream, "", line.where, evidence)
        return False
    if _RAISED.match(text):
        _close(stacks, line.stream, text[:500], line.where, evidence)
        _facts(line, evidence)
        return True
    return False


def _close(stacks: _Stacks, stream: str, error: str, where: str, evidence: Evidence) -> None:
    stack = stacks.end(stream, error, where)
    if stack is not None and "ChildFailedError" not in error:
        evidence.add(stack)


def _look_closer(line: Line, evidence: Evidence, stacks: _Stacks, table: dict[str, str]) -> None:
    text = line.text
    if "Traceback (most recent call last)" in text:
        _close(stacks, line.stream, "", line.where, evidence)
        stacks.begin(line, inner_first=False)
    elif "most recent call first" in text or re.match(r"Thread (?:0x)?\w+ \((?:active|idle)", text):
        _close(stacks, line.stream, "", line.where, evidence)
        stacks.begin(line, inner_first=True)
    elif spawned := _SPAWNED.search(text) or _SPIED.match(text):
        stacks.announced[line.stream] = _int(spawned[1])
    elif not _of_launcher(line, evidence, table):
        _facts(line, evidence)


def _of_launcher(line: Line, evidence: Evidence, table: dict[str, str]) -> bool:
    """Read a line of torchrun's table or of Slurm."""
    text = line.text
    agent, entry, slurm = _AGENT.search(text), _TABLE.match(text), _SLURM.search(text)
    ended = _SPAWN_ENDED.search(text)
    if "Root Cause" in text:
        table["first"] = "yes"
    elif agent:
        evidence.add(Death(_int(agent[2]), _int(agent[1]), first=True, where=line.where))
    elif ended:
        number = -getattr(signal, ended[2], 0) if ended[2] else _int(ended[3])
        evidence.add(Death(_int(ended[1]), number or None, where=line.where))
    elif slurm:
        code = {"Killed": -9, "Aborted": -6, "Segmentation fault": -11, "Out Of Memory": -9}.get(slurm[2])
        evidence.add(Death(_int(slurm[1]), code if code is not None else _int(slurm[3] or ""), where=line.where))
    elif entry:
        table[entry[1]] = entry[2]
        if entry[1] == "exitcode":
            rank, code = _int(table.get("rank", "")), _int(entry[2])
            evidence.add(Death(rank, code, "", table.get("time", "-"), "first" in table, line.where))
            table.clear()
    return bool(agent or entry or slurm or ended) or "Root Cause" in text


def _facts(line: Line, evidence: Evidence) -> None:
    """Waits, deaths and signs of a line that stands for itself."""
    text, where = line.text[:4000], line.where
    ranks = _own_ranks(line)
    enqueued = _ENQUEUED.search(text)
    if enqueued and ranks[0] is not None:
        evidence.enqueued[ranks[0]] = (_int(enqueued[1]) or 0, _int(enqueued[2]) or 0)
    if "aught collective operation timeout" in text:
        wait = replace(_nccl(text), where=where)
        for rank in ranks:
            evidence.add(replace(wait, rank=rank))
        return
    gloo, keys = _GLOO.search(text), _KEYS.search(text)
    if gloo:
        evidence.add(Wait(line.rank, timeout=_int(gloo[1]), where=where))
    elif keys:
        evidence.add(Wait(line.rank, "STORE", None, None, _int(keys[1]), keys[2], where))
    else:
        _sign(line, ranks[0], text, evidence)
    native = tuple(Code(one[2], _int(one[3]) or 0, one[1]) for one in _NATIVE.finditer(text))
    if native:
        evidence.add(Stack(ranks[0], native[::-1], "", where))


def _sign(line: Line, rank: int | None, text: str, evidence: Evidence) -> None:
    for kind, pattern in _SIGNS:
        found = pattern.search(text)
        if found is None:
            continue
        named = found.groupdict().get("ranks") or ""
        missing = tuple(number for number in map(_int, re.findall(r"\d+", named)) if number is not None)
        evidence.add(Sign(kind, text.strip()[:300], rank, missing, line.where))
        evidence.seen.update(missing)
        if kind == "join" and found.re.groups >= 2:
            evidence.world = max(evidence.world, _int(found[2] if "joined" in text else found["world"]) or 0)
        return
    aborted = _ABORTED.match(text)
    if aborted:
        evidence.add(Sign("aborted", aborted[1][:300], rank, (), line.where))


def _nccl(text: str) -> Wait:
    work = _WORK.search(text)
    told = dict(_FIELD.findall(work[1])) if work else {}
    elements = _int(told.get("NumelIn", ""))
    shape = told.get("TensorShape")
    if elements is None and shape:
        elements = 1
        for part in re.findall(r"\d+", shape):
            elements *= _int(part) or 1
    group = re.search(r"PG (?:ID )?(\d+)(?: PG GUID [^ (]*\(([^)]*)\))?", text)
    return Wait(
        None,
        told.get("OpType", ""),
        _int(told.get("SeqNum", "")),
        elements,
        _int(told.get("Timeout(ms)", "")),
        (group[2] or group[1]) if group else "",
    )


def _own_ranks(line: Line) -> list[int | None]:
    found = _OWN_RANK.search(line.text)
    if found is None:
        return [line.rank]
    first = _int(next(one for one in (found[1], found[3], found[4]) if one))
    last = _int(found[2]) if found[2] else first
    if first is None or last is None or not first <= last <= first + 4096:
        return [line.rank]
    return list(range(first, last + 1))


def _int(text: str) -> int | None:
    found = re.match(r"-?\d{1,18}(?!\d)", text or "")
    return int(found[0]) if found else None

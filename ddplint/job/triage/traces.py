"""Traces that ``ddplint.witness --traces`` left → evidence. A trace is untrusted: what is no trace is passed over."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ddplint.job.histories.diverging import Parting, from_mismatch, from_wait
from ddplint.job.histories.ranks import Entry, Rank
from ddplint.job.histories.report import record
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.witnessed import add_report

_NAME = re.compile(r"^(?:attempt(?P<attempt>\d{1,6})-)?rank(?P<rank>\d{1,6})(?P<old>\.old)?\.jsonl$")
_MOST_ENTRIES = 2_000_000
_LONGEST_LINE = 1 << 16
_MOST_RANKS = 4096


@dataclass(frozen=True)
class _Stuck:
    """An operation that a rank did not leave, or that raised; ``time``: when it was entered."""

    rank: int
    group: str
    seq: int
    time: float


def read_traces(folder: str, evidence: Evidence) -> None:
    """Add what the traces of a folder say of the last attempt. Raises ``OSError`` where it cannot be read."""
    files = _files(Path(folder))
    if not files:
        evidence.problems.append(f"{folder}: no traces of ddplint.witness")
        return
    ranks, stuck = [], []
    for number, paths in sorted(files.items()):
        rank, open_step = _read(number, paths, max(2048, _MOST_ENTRIES // len(files)), evidence)
        ranks.append(rank)
        stuck += [open_step] if open_step is not None else []
        evidence.dumps += 1
        evidence.seen.add(number)
    parting = _parting(ranks, sorted(stuck, key=lambda one: one.time))
    if parting is not None:
        add_report(record(parting), evidence, folder)


def _files(folder: Path) -> dict[int, list[Path]]:
    """The traces of the newest attempt, by rank, the older part first."""
    found: dict[int, dict[int, list[Path]]] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (".old" not in path.name, path.name)):
        match = _NAME.match(path.name)
        if match and os.path.isfile(path) and int(match["rank"]) < _MOST_RANKS:
            found.setdefault(int(match["attempt"] or 0), {}).setdefault(int(match["rank"]), []).append(path)
    return found[max(found)] if found else {}


def _parting(ranks: list[Rank], stuck: list[_Stuck]) -> Parting | None:
    for one in stuck:
        parting = from_wait(ranks, one.rank, one.group, one.seq, 0.0)
        if parting is not None and parting.kind != "stuck":
            return parting
    for group in sorted({key for rank in ranks for key in rank.last}):
        parting = from_mismatch(ranks, ranks[0].number, group)
        if parting is not None:
            return parting
    return None


def _read(number: int, paths: list[Path], most: int, evidence: Evidence) -> tuple[Rank, _Stuck | None]:
    reader = _Reader(Rank(number, state="silent"), most)
    for path in paths:
        try:
            for line in _lines(path):
                reader.take(line)
        except OSError as error:
            evidence.problems.append(f"{path}: {error.strerror or error}")
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            evidence.problems.append(f"{path}: not a trace of ddplint.witness, from some line on")
    evidence.world = max(evidence.world, reader.world)
    return reader.rank, reader.stuck()


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The records of a file; a line that is cut off, as the last of a killed process may be, is passed over."""
    with path.open(encoding="utf-8", errors="replace") as file:
        while text := file.readline(_LONGEST_LINE):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


class _Reader:
    """Takes the records of one rank."""

    def __init__(self, rank: Rank, most: int) -> None:
        self.rank = rank
        self.most = most
        self.world = 0
        self.kinds: dict[int, Entry] = {}
        self.open: dict[tuple[str, int], float] = {}

    def take(self, line: Mapping[str, Any]) -> None:
        if "format" in line:
            self.world = min(int(line.get("world", 0)), _MOST_RANKS)
            self.kinds = {}
        elif "group" in line:
            key = str(line["group"])
            self.rank.members[key] = tuple(map(int, line["ranks"]))
            self.rank.groups.setdefault(key, {})
        elif "kind" in line:
            self.kinds[int(line["kind"])] = _entry(line)
        elif "step" in line:
            self._step(line)
        elif "done" in line:
            self._done(str(line["done"][0]), int(line["done"][1]), line)
        elif "end" in line:
            self.rank.state = str(line["end"])

    def _step(self, line: Mapping[str, Any]) -> None:
        key, seq, kind = str(line["step"][0]), int(line["step"][1]), int(line["step"][2])
        steps = self.rank.groups.setdefault(key, {})
        steps[seq] = self.kinds[kind]
        if len(steps) > self.most:
            del steps[next(iter(steps))]
        self.rank.last[key] = seq
        self.open[key, seq] = float(line.get("time", 0.0))
        if "seconds" in line:
            self._done(key, seq, line)

    def _done(self, key: str, seq: int, line: Mapping[str, Any]) -> None:
        if "error" in line:
            self.rank.error = str(line["error"])[:300]
        else:
            self.open.pop((key, seq), None)

    def stuck(self) -> _Stuck | None:
        """The last operation that it did not leave."""
        if not self.open:
            return None
        (key, seq), time = max(self.open.items(), key=lambda pair: pair[1])
        self.rank.open = (key, seq, 0.0)
        return _Stuck(self.rank.number, key, seq, time)


def _entry(line: Mapping[str, Any]) -> Entry:
    at = tuple((str(path), int(number), str(function)) for path, number, function in line["at"][:64])
    terms = tuple(map(str, line.get("terms", ())))
    return replace(Entry(str(line["op"]), terms, str(line.get("sizes", "")), at), via=str(line.get("via", "")))

"""What a rank did as a file of JSON lines, bounded: the newest operations, in at most two files for each rank."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from ddplint.job.witness.recorder import Recorder, Step
from ddplint.job.witness.records import described
from ddplint.job.witness.sites import Site

FORMAT = "ddplint-witness"


def file_name(rank: int, attempt: int) -> str:
    """The trace of a rank; ``attempt`` counts the restarts of the job."""
    return f"rank{rank}.jsonl" if not attempt else f"attempt{attempt}-rank{rank}.jsonl"


class TraceFile:
    """Writes the events of one rank. Raises ``OSError`` as files do."""

    def __init__(self, folder: Path, name: str, about: Mapping[str, Any], keep: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.about, self.keep = folder / name, dict(about), keep
        self.old = self.path.with_suffix(".old.jsonl")
        self.old.unlink(missing_ok=True)
        self.began = time.time() - time.monotonic()
        self.open: list[Step] = []
        self._begin()

    def _begin(self) -> None:
        self.file: IO[str] = self.path.open("w", encoding="utf-8")
        self.known: set[Any] = set()
        self.kinds: dict[tuple[Any, ...], int] = {}
        self.written = 0
        self._line(format=FORMAT, version=1, began=round(time.time(), 3), **self.about)

    def _line(self, **record: Any) -> None:
        self.file.write(json.dumps(record, separators=(",", ":"), default=str) + "\n")

    def write(self, events: list[tuple[str, Any]], recorder: Recorder) -> None:
        """Write what happened, and what of it has ended since."""
        for kind, what in events:
            if kind == "step":
                self._step(what)
            elif kind == "pair":
                self._line(pair=what[0], at=what[1].at)
            else:
                self._line(**{kind: what})
        still = [step for step in self.open if not step.ended]
        for step in self.open:
            if step.ended:
                self._line(done=[step.group.key, step.seq], seconds=_seconds(step), **_error(step))
        self.open = still
        if recorder.lost:
            self._line(lost=recorder.lost)
            recorder.lost = 0
        self.file.flush()
        if self.written > self.keep:
            self._turn()

    def _step(self, step: Step) -> None:
        group = step.group
        if group.key not in self.known:
            self.known.add(group.key)
            self._line(group=group.key, ranks=group.ranks)
        key = (step.op, step.terms, step.sizes, step.site.number)
        if key not in self.kinds:
            self.kinds[key] = len(self.kinds)
            self._line(kind=self.kinds[key], **described(step))
        at = round(self.began + step.began, 6)
        self.written += 1
        if step.ended:
            self._line(step=[group.key, step.seq, self.kinds[key]], time=at, seconds=_seconds(step), **_error(step))
        else:
            self._line(step=[group.key, step.seq, self.kinds[key]], time=at)
            self.open.append(step)

    def _turn(self) -> None:
        """Go on in a fresh file; the one before stays beside it."""
        self.file.close()
        os.replace(self.path, self.old)
        self._begin()

    def close(self, state: str, stands: Site | None = None) -> None:
        """Write how it ended."""
        self._line(end=state)
        self.file.close()


def _seconds(step: Step) -> float:
    return round(step.ended - step.began, 6)


def _error(step: Step) -> dict[str, str]:
    return {"error": step.error} if step.error else {}

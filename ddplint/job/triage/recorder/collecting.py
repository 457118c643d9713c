"""A folder of dumps → evidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ddplint.job.triage.facts import Counted, Evidence, Stack, Wait
from ddplint.job.triage.recorder.groups import Job, together
from ddplint.job.triage.recorder.jams import jams
from ddplint.job.triage.recorder.late import late
from ddplint.job.triage.recorder.load import DumpError, load_dump, rank_of
from ddplint.job.triage.recorder.model import Dump, Groups
from ddplint.job.triage.recorder.reading import read_dump
from ddplint.job.triage.recorder.saying import mismatches, said
from ddplint.job.triage.recorder.waiting import Waiting

__all__ = ["add_dumps", "read_dumps"]

_KEPT = 400_000
_LEAST = 100
"""Completed operations that are kept of all dumps together, and at least of each."""


def read_dumps(folder: str, evidence: Evidence) -> None:
    """Add the dumps of a folder (or one file) to ``evidence``; unusable files become problems."""
    made = Groups()
    dumps = _dumps(folder, evidence, made)
    if dumps:
        add_dumps(dumps, evidence, folder, made)


def add_dumps(dumps: list[Dump], evidence: Evidence, where: str, made: Groups) -> None:
    """Add what the dumps of one job tell together. ``dumps`` are changed, ``made`` are their groups."""
    evidence.dumps += len(dumps)
    evidence.seen |= {dump.rank for dump in dumps}
    job = together(dumps, made)
    evidence.world = max(evidence.world, *(rank + 1 for rank in job.ranks))
    waiting = Waiting(job)
    _add_ranks(job, evidence)
    delayed = late(waiting)
    found = [*([delayed] if delayed is not None else []), *jams(waiting)]
    facts = [said(jam, waiting, where) for jam in found]
    earlier = list(mismatches(waiting, found, where))
    stuck = {fact.group: fact.number or 0 for fact in facts[::-1]}
    before = [fact for fact in earlier if (fact.number or 0) < stuck.get(fact.group, 0)]
    for fact in (*before, *facts, *(fact for fact in earlier if fact not in before)):
        evidence.add(fact)


def _add_ranks(job: Job, evidence: Evidence) -> None:
    for rank, dump in sorted(job.dumps.items()):
        for group, counts in dump.counts.items():
            if counts.enqueued != counts.completed:
                evidence.add(
                    Counted(rank, group.label, counts.enqueued, counts.completed, counts.started, where=dump.where)
                )
        for op in dump.pending[:1]:
            evidence.add(Wait(rank, op.name.upper(), op.number, op.elements, op.timeout, op.group.label, dump.where))
            if op.frames:
                evidence.add(Stack(rank, op.frames, "collective operation timeout", dump.where))


def _dumps(folder: str, evidence: Evidence, made: Groups) -> list[Dump]:
    top = Path(folder)
    paths = sorted(path for path in top.iterdir() if path.is_file()) if top.is_dir() else [top]
    found: dict[int, Dump] = {}
    for dump in _read(paths, evidence, max(_LEAST, _KEPT // max(len(paths), 1)), made):
        known = found.get(dump.rank)
        if known is not None:
            newer, older = (dump, known) if _newest(dump) >= _newest(known) else (known, dump)
            evidence.problems.append(f"{older.where}: set aside: {newer.where} is of rank {dump.rank} as well")
            dump = newer
        found[dump.rank] = dump
    return list(found.values())


def _read(paths: list[Path], evidence: Evidence, most: int, made: Groups) -> Iterator[Dump]:
    for index, path in enumerate(paths):
        try:
            content = load_dump(path)
        except (DumpError, OSError) as error:
            evidence.problems.append(f"{path}: {error}")
            continue
        rank = rank_of(path)
        yield read_dump(index if rank is None else rank, content, str(path), most, made)


def _newest(dump: Dump) -> tuple[int, int]:
    return max((op.time for op in dump.ops), default=0), len(dump.ops)

"""A folder of dumps → evidence."""

from __future__ import annotations

from ddplint.job.triage.facts import Counted, Evidence, Stack, Wait
from ddplint.job.triage.recorder.folder import dumps_of
from ddplint.job.triage.recorder.groups import Job, together
from ddplint.job.triage.recorder.jams import Jam, jams
from ddplint.job.triage.recorder.late import late
from ddplint.job.triage.recorder.model import Dump, Groups
from ddplint.job.triage.recorder.saying import mismatches, said
from ddplint.job.triage.recorder.waiting import Waiting


def read_dumps(folder: str, evidence: Evidence) -> None:
    """Add the dumps of a folder (or one file) to ``evidence``; unusable files become problems."""
    made = Groups()
    dumps, problems = dumps_of(folder, made)
    evidence.problems += problems
    if dumps:
        add_dumps(dumps, evidence, folder, made)


def add_dumps(dumps: list[Dump], evidence: Evidence, where: str, made: Groups) -> None:
    """Add what the dumps of one job tell together. ``dumps`` are changed, ``made`` are their groups."""
    evidence.dumps += len(dumps)
    evidence.seen |= {dump.rank for dump in dumps}
    job = together(dumps, made)
    evidence.world = max(evidence.world, *(rank + 1 for rank in job.ranks))
    waiting = Waiting(job)
    delayed = late(waiting)
    found = jams(waiting)
    if delayed is not None:  # what a rank that was late waits for afterwards, others have given up
        found = [delayed, *(jam for jam in found if not set(jam.waiting) & set(delayed.ranks))]
    _add_ranks(job, found, evidence)
    facts = [said(jam, waiting, where) for jam in found]
    earlier = list(mismatches(waiting, found, where))
    stuck = {fact.group: fact.number or 0 for fact in facts[::-1]}
    before = [fact for fact in earlier if (fact.number or 0) < stuck.get(fact.group, 0)]
    for fact in (*before, *facts, *(fact for fact in earlier if fact not in before)):
        evidence.add(fact)


def _add_ranks(job: Job, found: list[Jam], evidence: Evidence) -> None:
    """What each rank waits in; those first that wait in what keeps the others."""
    front = found[0].ops if found else {}
    for rank, dump in sorted(job.dumps.items(), key=lambda pair: (pair[0] not in front, pair[0])):
        for group, counts in dump.counts.items():
            if counts.enqueued != counts.completed:
                evidence.add(
                    Counted(rank, group.label, counts.enqueued, counts.completed, counts.started, where=dump.where)
                )
        for op in dump.pending[:1]:
            evidence.add(Wait(rank, op.name.upper(), op.number, op.elements, op.timeout, op.group.label, dump.where))
            if op.frames:
                evidence.add(Stack(rank, op.frames, "collective operation timeout", dump.where))

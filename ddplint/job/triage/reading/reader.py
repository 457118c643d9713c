"""Logs → evidence. One pass, a bounded amount kept, whatever the log's size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.folders import Budget
from ddplint.job.triage.reading.inputs import Source, given, is_text, opened
from ddplint.job.triage.reading.lines import Block, Log, blocks
from ddplint.job.triage.reading.taking import Taker
from ddplint.job.triage.wordings.table import quiet

_ATTEMPT = re.compile(r"(.*)attempt_\d{1,4}/\d{1,5}/std(?:out|err)\.log$")
_PIECE = 1 << 15
"""Bytes of the parts in which a piece is looked at where something happens in it."""

_LED_UP = 4096
"""Bytes before a piece in which something happens that are read with it: a table may begin there."""


def read_logs(paths: Iterable[str], evidence: Evidence) -> None:
    """Add what the logs tell to ``evidence``; one that cannot be read becomes one of its problems."""
    budget = Budget()
    sources = list(given(list(paths), budget))
    roots = {found[1] for found in map(_ATTEMPT.match, (source.name.replace("\\", "/") for source in sources)) if found}
    for source in sources:
        if not source.asked:
            if budget.spent:
                budget.left += 1
                continue
            budget.read += 1
        try:
            with opened(source) as streams:
                for name, stream in streams:
                    _read(stream, Log.of(name, several=len(roots) > 1), source, evidence, budget)
        except FileNotFoundError:
            evidence.problems.append(f"{source.name}: no such file")
        except OSError as error:
            evidence.torn = True
            evidence.problems.append(f"{source.name}: cannot be read to its end: {error.strerror or error}")
    if budget.told:
        evidence.unread = True
        evidence.problems.append(budget.told)


def _pieces(stream: BinaryIO, log: Log) -> Iterator[tuple[Block, bool]]:
    """The log in pieces, and whether nothing happens in one; those in which something does are small."""
    for block in blocks(stream, log):
        if quiet(block.data):
            yield block, True
        else:
            for piece in block.pieces(_PIECE):
                yield piece, quiet(piece.data)


def _read(stream: BinaryIO, log: Log, source: Source, evidence: Evidence, budget: Budget) -> None:
    """One log. Of pieces in which nothing happens, which are most, only the ranks' last lines are looked at."""
    taker = Taker(evidence)
    evidence.attempt, evidence.time = log.attempt, None
    before: Block | None = None
    first = True
    try:
        for block, nothing in _pieces(stream, log):
            if first and not is_text(block.data):
                evidence.unreadable.append(log.path)
                if source.asked:
                    evidence.problems.append(f"{log.path}: is no text, so no log")
                return
            first = False
            if not source.asked:
                if budget.spent:
                    budget.cut = log.path
                    return
                budget.most -= len(block.data)
            if nothing and not taker.busy:
                evidence.order += block.data.count(b"\n")
                for line in block.last_lines():
                    taker.last(line)
                before = block
            else:
                for line in before.tail(_LED_UP).lines() if before is not None else ():
                    taker.take(line, again=True)
                for line in block.lines():
                    evidence.order += 1
                    taker.take(line)
                before = None
            evidence.lines += 0 if block.data.isspace() else block.data.count(b"\n")
        for line in before.tail(_LED_UP).lines() if before is not None else ():
            taker.last(line)
    finally:
        taker.close(log.path)

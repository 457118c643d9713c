"""The table at the end of a job: text and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddplint.job.histories.report import shortened
from ddplint.job.witness.output.summary import Row, rows_of, suggested_timeout, waits_of

_SHOWN = 12


def summary_record(told: Mapping[int, list[Any]]) -> dict[str, Any]:
    """The tallies of all ranks as one record; seconds."""
    rows = rows_of(told)
    waits = waits_of(rows)
    longest = max(((max(row.longest.values()), row) for row in rows), key=lambda pair: pair[0], default=None)
    return {
        "format": "ddplint-witness-summary",
        "version": 1,
        "ranks": len(told),
        "rows": [_row(one) for one in rows],
        "waited": {str(rank): round(seconds, 3) for rank, seconds in waits.items()},
        "slowest": min(waits, key=lambda rank: waits[rank]) if _uneven(waits) else None,
        "longest": None
        if longest is None
        else {"seconds": round(longest[0], 3), "op": longest[1].op, "at": longest[1].where},
        "timeout": None if longest is None else suggested_timeout(longest[0]),
        "enqueued": any(row.later for row in rows),
    }


def _uneven(waits: Mapping[int, float]) -> bool:
    """Whether one rank kept the others waiting: a second at least, and twice what it waited itself."""
    if len(waits) < 2:
        return False
    least, most = min(waits.values()), max(waits.values())
    return most > 1 and most > 2 * least


def _row(row: Row) -> dict[str, Any]:
    return {
        "op": row.op,
        "group": row.group,
        "at": row.where,
        "count": max(row.counts.values()),
        "counts": {str(rank): count for rank, count in row.counts.items()},
        "seconds": {str(rank): round(value, 4) for rank, value in row.seconds.items()},
        "waited": {str(rank): round(value, 4) for rank, value in row.waited.items()},
        "longest": round(max(row.longest.values()), 4),
        "enqueued": row.later,
    }


def render_table(found: Mapping[str, Any]) -> str:
    """For people."""
    lines = [
        f"ddplint witness: {found['ranks']} ranks, {sum(row['count'] for row in found['rows'])} operations on each"
    ]
    lines.append(f"  {'calls':>7} {'longest':>9} {'most waited by':>20}  operation and line")
    for row in found["rows"][:_SHOWN]:
        rank, seconds = most_waited(row["waited"])
        waited = f"rank {rank}: {seconds:.2f} s" if seconds >= 0.01 else "-"
        lines.append(
            f"  {row['count']:>7} {row['longest']:>7.2f} s {waited:>20}  {row['op']} at {shortened(row['at'])}"
        )
    if len(found["rows"]) > _SHOWN:
        lines.append(f"  and {len(found['rows']) - _SHOWN} more lines")
    return "\n".join([*lines, *conclusions(found)]) + "\n"


def conclusions(found: Mapping[str, Any]) -> list[str]:
    """Who is slow, what took longest, and the timeout that leaves room for it."""
    lines = []
    if found["slowest"] is not None:
        most = max(found["waited"].values())
        lines.append(f"  rank {found['slowest']} is the slowest: others waited for it, {most:.1f} s at most")
    if found["longest"] is not None:
        seconds = found["longest"]["seconds"]
        lines.append(f"  longest: {seconds:.2f} s in {found['longest']['op']} at {shortened(found['longest']['at'])}")
        lines.append(
            f"  a timeout of {found['timeout']} s leaves five times that, and a minute at least; nothing was changed"
        )
    if found["enqueued"]:
        lines.append("  some operations return before they are done: their times are not those of the waiting")
    return lines


def most_waited(waited: Mapping[str, float]) -> tuple[str, float]:
    """The rank that waited most, and its seconds."""
    return max(waited.items(), key=lambda pair: pair[1], default=("-", 0.0))

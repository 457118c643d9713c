"""A parting as text and as JSON."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ddplint.job.histories.diverging import Parting
from ddplint.job.histories.ranks import Difference, Entry, Rank, group_name, place, rank_names

_SHOWN = 16
_HEADS = {
    "mismatch": "ranks do different things as one collective",
    "diverged": "ranks diverged",
    "behind": "a rank has not come",
    "stuck": "all ranks are in one collective that does not end",
}


def render(parting: Parting) -> str:
    """The lines for people."""
    return "\n".join(_lines(parting)) + "\n"


def _lines(parting: Parting) -> Iterator[str]:
    group = group_name(parting.members, parting.group)
    head = f"ddplint witness: {_HEADS[parting.kind]}"
    if parting.kind == "mismatch":
        yield f"{head}: #{parting.seq} of {group}"
    else:
        entry = parting.waited_in
        what = "a collective" if entry is None else entry.what
        waited = f"rank {parting.waiter} has waited {parting.seconds:.0f} s in {what} (#{parting.seq} of {group})"
        yield f"{head}: {waited}"
    yield from _positions(parting)
    if parting.first is not None:
        yield from _first(parting.first, parting)
    if parting.kind == "behind" and all(_runs(parting.rank(number)) for number in parting.absent):
        yield "  nothing says that they went another way: the rank may only be slow"
    if parting.kind == "stuck":
        yield "  same operation, line, root and sizes on all of them: look at the transport (ddplint doctor)"


def _runs(rank: Rank | None) -> bool:
    return rank is not None and rank.state == "running"


def _positions(parting: Parting) -> Iterator[str]:
    same: dict[str, list[int]] = {}
    for rank in parting.ranks:
        same.setdefault(position(rank), []).append(rank.number)
    for text, ranks in list(same.items())[:_SHOWN]:
        yield f"  {rank_names(ranks)}: {text}"


def position(rank: Rank) -> str:
    """Where a rank is, in words."""
    entry = rank.current()
    if rank.state == "ended":
        return "has ended"
    if rank.state == "silent" and not rank.last:
        return "has said nothing: it never came to a process group, or is gone"
    silent = ", and does not answer any more" if rank.state == "silent" else ""
    if entry is not None and rank.open is not None:
        number = f" (#{rank.open[1]} of {group_name(rank.members.get(rank.open[0], ()), rank.open[0])})"
        return f"in {entry.what}{number} at {_where(entry)}{silent}"
    if rank.state == "failed" or (rank.error and not rank.stands):
        return f"raised {rank.error}"
    stands = f"at {shortened(place(rank.stands))}" if rank.stands else "at no line of the program"
    return f"in no collective, {stands}{silent}"


def _first(first: Difference, parting: Parting) -> Iterator[str]:
    members = next((one.members[first.group] for one in parting.ranks if first.group in one.members), ())
    remark = ", the same operation from different lines" if first.kind == "line" else ""
    yield f"  they differ first at #{first.seq} of {group_name(members, first.group)}{remark}:"
    same: dict[str, list[int]] = {}
    for rank, entry in sorted(first.sides.items()):
        text = "has not come to it" if entry is None else f"{entry.what}{_sizes(entry, first)} at {_where(entry)}"
        same.setdefault(text, []).append(rank)
    for text, ranks in list(same.items())[:_SHOWN]:
        yield f"    {rank_names(ranks)}: {text}"


def _sizes(entry: Entry, first: Difference) -> str:
    known = {one.sizes for one in first.sides.values() if one is not None}
    return f" of {entry.sizes}" if len(known) > 1 and entry.sizes else ""


def _where(entry: Entry) -> str:
    """The line, and the two that led there."""
    if not entry.at:
        return "an unknown line"
    inner = entry.at[-1][0]
    above = [f"line {line}" if path == inner else f"{shortened(path)}:{line}" for path, line, _ in entry.at[-3:-1]]
    called = f", called from {', '.join(reversed(above))}" if above else ""
    return shortened(place(entry.at)) + called


def shortened(text: str) -> str:
    """A path relative to the current folder, where it is below that."""
    here = os.getcwd() + os.sep
    return text.removeprefix(here)


def record(parting: Parting) -> dict[str, Any]:
    """The same for programs, as values that JSON has."""
    return {
        "format": "ddplint-witness-report",
        "version": 1,
        "kind": parting.kind,
        "rank": parting.waiter,
        "seconds": round(parting.seconds, 1),
        "time": round(time.time(), 3),
        "group": {"name": parting.group, "ranks": list(parting.members)},
        "number": parting.seq,
        "absent": list(parting.absent),
        "ranks": [_rank(one) for one in parting.ranks],
        "first": None if parting.first is None else _difference(parting.first),
    }


def _difference(first: Difference) -> dict[str, Any]:
    sides: Mapping[str, Any] = {
        str(rank): None if entry is None else _entry(entry) for rank, entry in sorted(first.sides.items())
    }
    return {"kind": first.kind, "group": first.group, "number": first.seq, "sides": sides}


def _rank(rank: Rank) -> dict[str, Any]:
    entry = rank.current()
    return {
        "rank": rank.number,
        "state": rank.state,
        "says": position(rank),
        "in": None if entry is None else _entry(entry),
        "stands": [list(frame) for frame in rank.stands],
        "last": dict(rank.last),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "op": entry.op,
        "terms": list(entry.terms),
        "sizes": entry.sizes,
        "via": entry.via,
        "at": [list(frame) for frame in entry.at],
    }

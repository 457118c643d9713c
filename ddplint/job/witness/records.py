"""Steps as plain values for the store and the trace files: texts are said once, and then by their number."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from ddplint.job.histories.ranks import Entry, Rank
from ddplint.job.witness.recorder import Group, Recorder, Step

_FINE, _COARSE, _WIDE = 24, 24, 64


def spelled(sizes: Any) -> str:
    """Shapes and types of a step as text: ``4x8 float32``."""
    if sizes is None:
        return ""
    if isinstance(sizes, tuple) and sizes and isinstance(sizes[-1], tuple):
        return ", ".join(spelled(one) for one in sizes)
    if isinstance(sizes, tuple):
        *lengths, kind = sizes
        shape = "x".join(map(str, lengths)) or "1"
        return f"{shape} {spelled(kind)}"
    return str(sizes).removeprefix("torch.")


def marks(group: Group) -> list[list[int]]:
    """Numbers of the group with the sum over all signatures up to there: the last ones, and every 64th before.

    Two ranks that have one number in common know from it whether they agreed so far.
    """
    last = group.seq
    coarse = range((last - _FINE) // _WIDE * _WIDE, 0, -_WIDE)
    kept = [group.step(seq) for seq in (*range(last, max(last - _FINE, 0), -1), *coarse[:_COARSE])]
    return [[step.seq, step.chain] for step in kept if step is not None]


def history(recorder: Recorder, most: int) -> dict[str, Any]:
    """The last ``most`` steps of every group, with a table of what they share."""
    table: dict[tuple[Any, ...], int] = {}
    shared: list[dict[str, Any]] = []
    groups: dict[str, Any] = {}
    for key, group in list(recorder.groups.items()):
        steps = list(group.steps)[-most:]
        first = steps[0].seq if steps else 1
        groups[key] = {"ranks": group.ranks, "first": first, "steps": [_number(one, table, shared) for one in steps]}
    return {"shared": shared, "groups": groups}


def _number(step: Step, table: dict[tuple[Any, ...], int], shared: list[dict[str, Any]]) -> int:
    key = (step.op, step.terms, step.sizes, step.site.number)
    if key not in table:
        table[key] = len(shared)
        shared.append(described(step))
    return table[key]


def described(step: Step) -> dict[str, Any]:
    """What two steps from the same line with the same sizes have in common."""
    found: dict[str, Any] = {"op": step.op, "at": step.site.at}
    if step.terms:
        found["terms"] = step.terms
    if step.sizes is not None:
        found["sizes"] = spelled(step.sizes)
    if step.site.via:
        found["via"] = step.site.via
    return found


def position(recorder: Recorder) -> dict[str, Any]:
    """Where this rank is: its last number in every group, and the operation it is in."""
    step = recorder.waiting()
    found: dict[str, Any] = {
        "groups": {
            key: {
                "ranks": group.ranks if not key.startswith(("all", "start")) else (),
                "seq": group.seq,
                "marks": marks(group),
            }
            for key, group in list(recorder.groups.items())
        }
    }
    if step is not None:
        found["open"] = [step.group.key, step.seq, round(time.monotonic() - step.began, 3)]
    return found


def rank_from(number: int, told: Mapping[str, Any], steps: Mapping[str, Any] | None, world: int) -> Rank:
    """What another rank told of itself: its position, and its history where it gave one."""
    rank = Rank(number, state=str(told.get("state", "running")), error=str(told.get("error", "")))
    rank.stands = tuple((str(path), int(line), str(name)) for path, line, name in told.get("stands", ()))
    for key, group in told.get("groups", {}).items():
        rank.last[key] = int(group["seq"])
        rank.members[key] = tuple(group["ranks"]) or tuple(range(world))
        rank.groups[key] = {}
    if told.get("open"):
        key, seq, seconds = told["open"]
        rank.open = (str(key), int(seq), float(seconds))
    if steps is not None:
        _remember(rank, steps)
    return rank


def _remember(rank: Rank, steps: Mapping[str, Any]) -> None:
    shared = [_entry(one) for one in steps["shared"]]
    for key, group in steps["groups"].items():
        numbered: Iterable[tuple[int, int]] = enumerate(group["steps"], group["first"])
        rank.groups[key] = {seq: shared[index] for seq, index in numbered}
        rank.last[key] = max([rank.last.get(key, 0), *rank.groups[key]])
        rank.members.setdefault(key, tuple(group["ranks"]))


def _entry(record: Mapping[str, Any]) -> Entry:
    at = tuple((str(path), int(line), str(function)) for path, line, function in record["at"])
    terms = tuple(map(str, record.get("terms", ())))
    return Entry(str(record["op"]), terms, str(record.get("sizes", "")), at, str(record.get("via", "")))

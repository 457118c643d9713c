"""The content of one dump → :class:`Dump`, whatever the release of torch and the backend."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ddplint.job.triage.recorder.model import Counts, Dump, Group, Groups, Op
from ddplint.job.triage.recorder.plain import Once, frames, members, number, sizes, text, words

WORLD = "default_pg"
"""How torch describes the group of all ranks."""

_ENTRIES = 1 << 15
_BETWEEN = re.compile(r"(send|recv) (\d{1,7})(->|<-)(\d{1,7})")


def listed_groups(content: Mapping[str, Any], made: Groups) -> dict[str, Group]:
    """The groups that ``pg_config`` lists, by name. Gloo lists one without a name and often without members: none."""
    found: dict[str, Group] = {}
    config = content.get("pg_config")
    for key, told in config.items() if isinstance(config, Mapping) else ():
        ranks = members(told.get("ranks")) if isinstance(told, Mapping) else ()
        name = text(key)
        if ranks and name:
            found[name] = made(name, ranks, text(told.get("desc")))
    return found


def read_dump(rank: int, content: Mapping[str, Any], where: str, most: int, made: Groups) -> Dump:
    """Operations and counts; of those completed, the last ``most`` are kept. ``made``: the groups of the job."""
    dump, groups, ids = Dump(rank, where), listed_groups(content, made), dict[int, Group]()
    once = Once()
    for entry in _newest(content["entries"][-_ENTRIES:], most):
        op = _op(rank, entry, groups, made, once)
        if op is not None:
            dump.ops.append(op)
            ids.setdefault(number(entry.get("pg_id")) or 0, op.group)
    dump.ops.sort(key=lambda op: op.order)
    dump.groups = tuple(groups.values())
    dump.counts = _counts(content.get("pg_status"), ids, groups)
    return dump


def _newest(entries: Sequence[Any], most: int) -> Iterator[Mapping[str, Any]]:
    """Entries in the order of the dump, which is that in which they were enqueued."""
    for index, entry in enumerate(entries):
        if isinstance(entry, Mapping) and (index >= len(entries) - most or not _done(entry)):
            yield entry


def _done(entry: Mapping[str, Any]) -> bool:
    return entry.get("state") == "completed" or bool(entry.get("retired"))


def _op(rank: int, entry: Mapping[str, Any], groups: dict[str, Group], made: Groups, once: Once) -> Op | None:
    name, description = _group(entry)
    group = groups.get(name)
    if group is None:
        group = groups[name] = made(name, (), description, known=False)
    spelled = text(entry.get("profiling_name")).partition(":")[2] or text(entry.get("profiling_name"))
    paired = bool(entry.get("is_p2p"))
    seq = number(entry.get("p2p_seq_id" if paired else "collective_seq_id", entry.get("seq_id")))
    if seq is None:
        return None
    state = entry.get("state")
    return Op(
        rank,
        group,
        seq,
        spelled.partition(" ")[0],
        _between(spelled, group),
        paired,
        number(entry.get("p2p_seq_id")) or 0,
        once(sizes, entry.get("input_sizes")),
        once(sizes, entry.get("output_sizes")),
        (once(words, entry.get("input_dtypes")), once(words, entry.get("output_dtypes"))),
        started=state in ("started", "completed") or bool(number(entry.get("time_discovered_started_ns"))),
        done=_done(entry),
        order=number(entry.get("record_id")) or 0,
        time=number(entry.get("time_created_ns")) or 0,
        timeout=number(entry.get("timeout_ms")),
        frames=once(frames, entry.get("frames")),
    )


def _group(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Name and description. Older releases give but the number with which the rank counts its groups."""
    told = entry.get("process_group")
    if isinstance(told, (list, tuple)):
        return text((*told, "")[0]), text((*told[:2], "", "")[1])
    own = number(entry.get("pg_id")) or 0
    return str(own), "" if own else WORLD


def _between(spelled: str, group: Group) -> tuple[int, int] | None:
    """Who sends and who receives, in global ranks: a dump counts them within the group."""
    found = _BETWEEN.match(spelled)
    if found is None:
        return None
    first, second = int(found[2]), int(found[4])
    sender, receiver = (first, second) if found[3] == "->" else (second, first)
    if max(sender, receiver) < len(group.members):
        return group.members[sender], group.members[receiver]
    return (sender, receiver) if group.description == WORLD and not group.known else None


def _counts(status: Any, ids: dict[int, Group], groups: dict[str, Group]) -> dict[Group, Counts]:
    """``pg_status`` by group. It counts groups by a number of its own, which entries tell, or else the order."""
    told = {number(key): value for key, value in status.items()} if isinstance(status, Mapping) else {}
    named = _by_order([key for key in told if key is not None], groups, ids) | ids
    found: dict[Group, Counts] = {}
    for key, value in told.items():
        group = named.get(-1 if key is None else key)
        if group is None or not isinstance(value, Mapping):
            continue
        last = [number(value.get(f"last_{what}_collective")) for what in ("enqueued", "started", "completed")]
        if last[0] is not None and last[2] is not None:
            started = last[1] if last[1] is not None and last[1] >= 0 else None
            found[group] = Counts(last[0], started, last[2])
    return found


def _by_order(keys: list[int], groups: dict[str, Group], ids: dict[int, Group]) -> dict[int, Group]:
    """Both count the groups as they were made: with as many on either side they pair up, if no entry objects."""
    listed = [group for group in groups.values() if group.known and group.name.isdecimal() and len(group.name) < 20]
    if len(listed) != len(keys):
        return {}
    paired = dict(zip(sorted(keys), sorted(listed, key=lambda group: int(group.name)), strict=True))
    return paired if all(paired.get(key) == group for key, group in ids.items()) else {}

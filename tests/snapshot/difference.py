"""What two snapshots say differently, for reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Difference", "difference"]

Record = dict[str, Any]
_WIDTH = 110


@dataclass(frozen=True)
class Difference:
    """``lines``: what changed, none where nothing did; ``costs``: what the work took before and takes now."""

    lines: list[str]
    costs: list[str]


def difference(old: Record, new: Record) -> Difference:
    """What changed from one snapshot to another. Work that costs more or less is no change."""
    before, after = old["programs"], new["programs"]
    lines = [f"- {name}: no longer in the list" for name in before if name not in after]
    lines += [f"+ {name}: new in the list" for name in after if name not in before]
    for name in after:
        if name in before:
            told = list(_of_program(before[name], after[name]))
            lines += [name, *(f"  {line}" for line in told)] if told else []
    return Difference(lines, list(_costs(old, new)))


def _of_program(old: Record, new: Record) -> Iterator[str]:
    yield from _findings(old["findings"], new["findings"])
    for key in ("silenced", "limits", "problems"):
        yield from _members(key.removesuffix("s"), old[key], new[key])
    yield from _entries(old["entries"], new["entries"])


def _findings(old: list[Record], new: list[Record]) -> Iterator[str]:
    """Findings of one rule at one place are paired in their order, and told field by field."""
    before, after = _by_place(old), _by_place(new)
    for key in sorted({*before, *after}):
        mine, theirs = before.get(key, []), after.get(key, [])
        for one, other in zip(mine, theirs):
            yield from _fields(" ".join(key), one, other)
        yield from (f"- {_shown(one)}" for one in mine[len(theirs) :])
        yield from (f"+ {_shown(one)}" for one in theirs[len(mine) :])


def _by_place(findings: list[Record]) -> dict[tuple[str, str], list[Record]]:
    found: dict[tuple[str, str], list[Record]] = {}
    for one in findings:
        found.setdefault((one["place"].partition("-")[0], one["code"]), []).append(one)
    return found


def _shown(finding: Record) -> str:
    about = f"{finding['code']} {finding['severity']}, {finding['confidence']}"
    return f"{finding['place']} {about}: {finding['message']}"


def _fields(title: str, old: Record, new: Record) -> Iterator[str]:
    changed = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    if changed:
        yield f"~ {title}"
    for name in changed:
        yield f"    {name}: - {_brief(old.get(name))}"
        yield f"    {' ' * len(name)}  + {_brief(new.get(name))}"


def _members(title: str, old: list[Any], new: list[Any]) -> Iterator[str]:
    yield from (f"- {title}: {_brief(one)}" for one in old if one not in new)
    yield from (f"+ {title}: {_brief(one)}" for one in new if one not in old)


def _entries(old: list[Record], new: list[Record]) -> Iterator[str]:
    before, after = _by_entry(old), _by_entry(new)
    yield from (f"- entry {' '.join(map(str, key))}" for key in before if key not in after)
    yield from (f"+ entry {' '.join(map(str, key))}" for key in after if key not in before)
    for key in after:
        if key in before:
            yield from _digests(" ".join(map(str, key)), before[key], after[key])


def _by_entry(entries: list[Record]) -> dict[tuple[str, str, int], Record]:
    """Entries by file, name, and the how-manieth of that name it is."""
    found: dict[tuple[str, str, int], Record] = {}
    for one in entries:
        number = 1
        while (one["file"], one["entry"], number) in found:
            number += 1
        found[one["file"], one["entry"], number] = one
    return found


def _digests(title: str, old: Record, new: Record) -> Iterator[str]:
    for name in ("events", "divergences", "trace"):
        if old[name] != new[name]:
            counts = (
                f"{old[name][0]} → {new[name][0]}" if old[name][0] != new[name][0] else f"{new[name][0]}, other ones"
            )
            yield f"~ entry {title}: {name}: {counts}"


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"


def _costs(old: Record, new: Record) -> Iterator[str]:
    for name, after in new["costs"].items():
        before = old["costs"].get(name, 0)
        yield f"{name}: {before} → {after}" + (f" ({after / before:.2f} times)" if before else "")

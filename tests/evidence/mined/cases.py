"""The records of ``cases.jsonl``, and what is asked of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases.jsonl"
CODES: dict[str, frozenset[str]] = {
    "guarded-collective": frozenset({"DDP101", "DDP102", "DDP108", "DDP402"}),
    "rank-early-exit": frozenset({"DDP101", "DDP102", "DDP110"}),
    "collective-order": frozenset({"DDP101", "DDP103", "DDP106", "DDP107", "DDP108"}),
    "data-divergence": frozenset({"DDP104", "DDP106"}),
    "exception-divergence": frozenset({"DDP105"}),
    "uneven-loop": frozenset({"DDP104", "DDP106"}),
    "unguarded-save": frozenset({"DDP201", "DDP205"}),
    "guarded-collective-save": frozenset({"DDP101", "DDP202"}),
    "save-race": frozenset({"DDP201", "DDP203", "DDP205", "DDP206"}),
    "local-vs-global-rank": frozenset({"DDP204", "DDP304", "DDP403"}),
    "sampler": frozenset({"DDP301", "DDP302", "DDP303", "DDP304", "DDP305", "DDP306", "DDP307"}),
    "init-timeout": frozenset({"DDP401", "DDP402", "DDP404"}),
    "device-binding": frozenset({"DDP204", "DDP207", "DDP403"}),
    "env": frozenset({"DDP501", "DDP502", "DDP503", "DDP504", "DDP505"}),
    "signal-timeout": frozenset({"DDP405"}),
    "other": frozenset(),
}
"""Which rules say what a class is about; of ``other`` every rule does."""

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Case:
    """One place of a public repository, before it was repaired."""

    id: str
    repo: str
    commit: str
    fix: str
    path: str
    lines: tuple[int, int]
    kind: str
    name: str
    difficulty: str
    why: str
    repaired: str


def case_of(line: str) -> Case:
    """The record of one line; a field too many or too few is an error."""
    fields = json.loads(line)
    first, last = fields.pop("lines")
    return Case(lines=(first, last), name=fields.pop("class"), **fields)


def load(path: Path = CASES) -> list[Case]:
    """All records."""
    return [case_of(line) for line in path.read_text("utf-8").splitlines()]

"""What walks leave behind as records: modules that were asked for, limits that were reached."""

from __future__ import annotations

from dataclasses import dataclass

NOT_ENTERED = "entry points after"
"""In the text of a limit that left out whole entries, not a part of one."""


@dataclass(frozen=True)
class Limit:
    """A budget that ran out while ``entry`` of a file was walked: what lies beyond it was not seen."""

    path: str
    entry: str
    text: str


@dataclass(frozen=True)
class Lookup:
    """A module that the walk asked for, from where, and the file or folder that it found (``""``: none)."""

    name: str
    root: str
    here: str
    found: str = ""

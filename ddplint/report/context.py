"""What a format needs to know besides the report."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass, field
from pathlib import Path

from ddplint.report.terminal import Style

__all__ = ["Context"]


@dataclass(frozen=True)
class Context:
    """How a report is written.

    ``strict``: advice counts. ``exit_zero``: findings do not. ``style``: what the output can show. ``top``: the folder
    that paths in fingerprints start from. ``show_advice``: advice is explained like all else, not counted. ``quiet``:
    findings only, without counts. ``command`` is what was run, and ``now`` when (default: the present), for pages that
    name them.
    """

    strict: bool = False
    exit_zero: bool = False
    verbose: bool = False
    style: Style = field(default_factory=Style)
    top: Path = field(default_factory=Path.cwd)
    show_advice: bool = False
    quiet: bool = False
    command: str = ""
    now: datetime.datetime | None = None

    @property
    def moment(self) -> datetime.datetime:
        """When it was run: ``now``, or what ``SOURCE_DATE_EPOCH`` says for output that can be made again, or now."""
        said = os.environ.get("SOURCE_DATE_EPOCH", "")
        utc = datetime.timezone.utc
        if self.now is None and said.isdecimal() and len(said) < 12:
            return datetime.datetime.fromtimestamp(int(said), utc)
        return self.now or datetime.datetime.now(utc)

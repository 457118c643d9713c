"""What a format needs to know besides the report."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.report.terminal import Style

if TYPE_CHECKING:
    from collections.abc import Callable

    from ddplint.source.file import SourceFile


@dataclass(frozen=True)
class Context:
    """How a report is written.

    ``strict``: advice counts. ``exit_zero``: findings do not. ``style``: what the output can show. ``top``: the
    folder that paths in fingerprints start from. ``show_advice``: advice is explained like all else, not counted.
    ``show_all``: what is folded is, too. ``quiet``: findings only, without counts. ``command`` is what was run, and
    ``now`` when (default: the present), for pages that name them.
    ``changed`` says of a line whether it was changed, and ``proven`` holds the fingerprints of findings whose fix was
    confirmed, for the format that suggests them.
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
    changed: Callable[[SourceFile, int], bool] | None = None
    proven: frozenset[str] = frozenset()
    show_all: bool = False

    def is_changed(self, file: SourceFile, line: int) -> bool:
        """Whether a line was changed; without a revision to compare with, all were."""
        return self.changed is None or self.changed(file, line)

    @property
    def moment(self) -> datetime.datetime:
        """When it was run: ``now``, or what ``SOURCE_DATE_EPOCH`` says for output that can be made again, or now."""
        said = os.environ.get("SOURCE_DATE_EPOCH", "")
        utc = datetime.timezone.utc
        if self.now is None and said.isdecimal() and len(said) < 12:
            return datetime.datetime.fromtimestamp(int(said), utc)
        return self.now or datetime.datetime.now(utc)

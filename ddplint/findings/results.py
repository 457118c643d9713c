"""What one run found: findings, what was silenced, what could not be checked, where the walk gave up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding
from ddplint.source.file import SourceFile
from ddplint.util.budget import SPENT

if TYPE_CHECKING:
    from ddplint.project.records import Limit


@dataclass(frozen=True)
class Problem:
    """Something that kept a file, a folder or a rule from being used. ``line`` is 0 where no line is to blame."""

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    fatal: bool = True

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}:{self.column}: " if self.line else f"{self.path}: " if self.path else ""
        return f"{where}{'error' if self.fatal else 'warning'}: {self.message}"


@dataclass(frozen=True)
class Silenced:
    """A finding that is not shown: ``by`` is ``"comment"`` (on ``line``) or ``"per-file-ignores"``."""

    finding: Finding
    by: str
    line: int = 0
    reason: str = ""


@dataclass
class Report:
    """What one run found.

    ``files`` are all files looked at, ``walked`` those that were simulated; ``fixed`` are findings that are gone
    because of their fix, ``gone`` counts those that went with them without one of their own; ``excluded`` are files
    that were named and left out all the same; ``problems`` holds errors
    and warnings about files, paths and rules.
    """

    findings: list[Finding] = field(default_factory=list)
    fixed: list[Finding] = field(default_factory=list)
    gone: int = 0
    silenced: list[Silenced] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    walked: list[SourceFile] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def was_out_of_time(self) -> bool:
        """Whether a file took more time than it may: then the next run may come further."""
        return any(SPENT in limit.text for limit in self.limits)

    @property
    def skipped(self) -> list[Problem]:
        """The files that could not be checked, with the reason (the first one for each file)."""
        first = {problem.path: problem for problem in reversed(self.errors) if problem.path}
        return list(reversed(first.values()))

    @property
    def checked(self) -> list[str]:
        """The files that were checked, also those that mention nothing relevant."""
        skipped = {problem.path for problem in self.skipped}
        return [path for path in self.files if path not in skipped]

    @property
    def errors(self) -> list[Problem]:
        """The problems that make the run incomplete."""
        return [problem for problem in self.problems if problem.fatal]

    def exit_code(self, *, strict: bool = False, exit_zero: bool = False) -> int:
        """2 where something could not be checked, 1 where there are findings that count, else 0.

        Parameters: ``strict``, whether advice counts; ``exit_zero``, whether no finding does.
        """
        if self.errors:
            return 2
        if exit_zero:
            return 0
        return int(any(strict or finding.severity is not Severity.ADVICE for finding in self.findings))

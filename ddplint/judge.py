"""Which findings are shown: of selected rules, sure enough, once each, not silenced, in the files asked about."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path

from ddplint.discovery import matches
from ddplint.registry import RuleBook, matching, select
from ddplint.results import Silenced
from ddplint.rule import Confidence, Finding, Severity
from ddplint.settings import Settings

__all__ = ["Judge", "unique"]

_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.ADVICE: 2}


class Judge:
    """The rules that ``settings`` select from ``book``, and what they silence.

    Raises :class:`ddplint.settings.SettingsError` where they name a rule that does not exist.
    """

    def __init__(self, book: RuleBook, settings: Settings) -> None:
        self.rules = select(book, settings.select, settings.ignore)
        self._least = _CERTAINTY[settings.min_confidence]
        self._root = settings.root.resolve()
        self._ignored_in = [
            (pattern, frozenset(rule.code for word in words for rule in matching(book, word)))
            for pattern, words in settings.per_file_ignores
        ]

    def sorted(self, findings: Iterable[Finding], asked: Container[Path]) -> tuple[list[Finding], list[Silenced]]:
        """The findings to show and the silenced ones, by place, without duplicates.

        Parameters: ``asked``, the real paths of the files that are checked; findings elsewhere are left out.
        """
        wanted = [one for one in findings if _CERTAINTY[one.confidence] <= self._least]
        shown: list[Finding] = []
        silenced: list[Silenced] = []
        for finding in unique(one for one in wanted if one.place.file.real_path in asked):
            found = self._silenced(finding)
            if found is None:
                shown.append(finding)
            else:
                silenced.append(found)
        return shown, silenced

    def _silenced(self, finding: Finding) -> Silenced | None:
        from ddplint.suppressions import comment_lines

        file = finding.place.file
        for pattern, codes in self._ignored_in:
            if finding.code in codes and matches(pattern, file.real_path, self._root):
                return Silenced(finding, "per-file-ignores", reason=pattern)
        if not file.suppressions.comments:
            return None
        comment = file.suppressions.find((finding.code, finding.name), comment_lines(file, finding.place.node))
        return None if comment is None else Silenced(finding, "comment", comment.line, comment.reason)


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and place, the surest and gravest; sorted by path, place and code."""
    best: dict[tuple[str, int, int, str], Finding] = {}
    for finding in sorted(findings, key=lambda one: (_CERTAINTY[one.confidence], _WEIGHT[one.severity])):
        place = finding.place.range
        key = (finding.place.file.path, place.start_line, place.start_col, finding.code)
        best.setdefault(key, finding)
    return [best[key] for key in sorted(best)]

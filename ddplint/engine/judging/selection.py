"""Which findings are shown: of selected rules, sure and grave enough, once each, not silenced, in checked files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.levels import Confidence, Severity
from ddplint.config.settings import Settings, settings_for
from ddplint.engine.detach import comment_lines_of
from ddplint.engine.judging.nodes import NodesOfJobs
from ddplint.engine.judging.repeated import merged
from ddplint.findings.model import Finding, Note
from ddplint.findings.results import Silenced
from ddplint.project.discovery import excluded, matches
from ddplint.rule import Codemod, Rule
from ddplint.rulebook.registry import RuleBook
from ddplint.rulebook.tuning import chosen_rules, ignored_in, severities, tuned
from ddplint.source.suppressions import Suppression, unknown_code

if TYPE_CHECKING:
    from ddplint.engine.judging.baseline import Baseline
    from ddplint.engine.judging.diff_base import ChangedLines
    from ddplint.source.file import SourceFile


_LEADS = frozenset({"call", "caller", "guard"})
_FURTHER = "guard this, or what it does in a file that is not checked: name that file too for a fix"
_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.ADVICE: 2}


class _Policy:
    """What one configuration says about findings in its files."""

    def __init__(self, book: RuleBook, settings: Settings) -> None:
        chosen = chosen_rules(book, settings)
        kept = [rule for rule in book.rules if rule.code in chosen or isinstance(rule, Codemod)]
        self.rules = tuned(book, kept, settings)
        self._severities = severities(book, settings)
        self.codes = frozenset(rule.code for rule in self.rules)
        self._least = _CERTAINTY[settings.min_confidence], _WEIGHT[settings.min_severity]
        self._root = settings.root.resolve()
        self._nodes = NodesOfJobs(settings.nodes)
        self._ignored_in = ignored_in(book, settings)
        self._most = dict(settings.certainty)

    def weighed(self, finding: Finding) -> Finding:
        """The finding with the severity that the configuration gives to its rule, and as sure as it lets it be."""
        severity = self._severities.get(finding.code) or self._nodes.severity_of(finding)
        finding = finding if severity is finding.severity else replace(finding, severity=severity)
        for reason in finding.certainty.because if self._most else ():
            most = self._most.get(reason)
            if most is not None:
                finding = replace(finding, certainty=finding.certainty.at_most(most))
        return finding

    def wants(self, finding: Finding) -> bool:
        """Whether the rule is selected, and the finding sure and grave enough."""
        certainty, weight = self._least
        enough = _CERTAINTY[finding.confidence] <= certainty and _WEIGHT[finding.severity] <= weight
        return enough and finding.code in self.codes and not self._is_off(finding)

    def _is_off(self, finding: Finding) -> bool:
        """Whether the configuration leaves out what is said for one of its reasons."""
        return any(one in self._most and self._most[one] is None for one in finding.certainty.because)

    def pattern(self, finding: Finding) -> str | None:
        """The pattern of ``per-file-ignores`` that leaves it out."""
        path = finding.place.file.real_path
        for pattern, codes in self._ignored_in:
            if finding.code in codes and matches(pattern, path, self._root):
                return pattern
        return None


class Judge:
    """Decides about findings by the settings of the files they are in.

    ``used`` counts how often each comment silenced something, by file, line and key. Raises
    :class:`ddplint.config.settings.SettingsError` where a configuration names a rule that does not exist.
    """

    def __init__(
        self, book: RuleBook, settings: Settings, baseline: Baseline | None = None, changed: ChangedLines | None = None
    ) -> None:
        self._book = book
        self._one_in_file = frozenset(rule.code for rule in book.rules if rule.one_in_file)
        self._reported_at_calls = frozenset(rule.code for rule in book.rules if rule.reported_at_calls)
        self._settings = settings
        self._policies: dict[Path | None, _Policy] = {settings.config: _Policy(book, settings)}
        self.baseline = baseline
        self.changed = changed
        self.used: Counter[tuple[Path, int, str]] = Counter()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the run's own configuration."""
        return self._policies[self._settings.config].rules

    def rules_for(self, file: SourceFile) -> tuple[Rule, ...]:
        """The rules to be run on the walks of a file."""
        return self._policy(file).rules

    def is_about_launches(self, code: str) -> bool:
        """Whether a rule looks at how programs are started, not at what one does."""
        rule = self._book.find(code)
        return rule is not None and rule.reads_launch_files

    def settings_for(self, file: SourceFile) -> Settings:
        """The settings that hold for a file."""
        return settings_for(file.path, self._settings)

    def sorted(self, findings: Iterable[Finding], asked: Container[Path]) -> tuple[list[Finding], list[Silenced]]:
        """The findings to show and the silenced ones, by place, without duplicates.

        Parameters: ``asked``, the real paths of the files that are checked; findings elsewhere are left out, or told
        where a checked file leads there.
        """
        here = [placed for one in findings if (placed := self._placed(one, asked)) is not None]
        here = [self._policy(one.place.file).weighed(one) for one in here]
        comments = {id(one): self._comment(one) for one in here}
        wanted = [one for one in here if self._policy(one.place.file).wants(one)]
        shown: list[Finding] = []
        silenced: list[Silenced] = []
        for finding in unique(wanted):
            found = self._silenced(finding, comments[id(finding)])
            if found is None:
                shown.append(finding)
            else:
                silenced.append(found)
        shown = merged(shown, self._one_in_file)
        if self.baseline is not None:
            known = self.baseline.known(shown)
            silenced += [Silenced(one, "baseline", reason=self.baseline.name) for one in shown if id(one) in known]
            shown = [one for one in shown if id(one) not in known]
        if self.changed is not None:
            shown = [one for one in shown if self.changed.touches(one)]
            silenced = [one for one in silenced if self.changed.touches(one.finding)]
        return shown, silenced

    def elsewhere(self, findings: Iterable[Finding], asked: Container[Path]) -> list[Finding]:
        """The errors in files that are not checked and that nothing leaves out; none where only changes count."""
        if self.changed is not None:
            return []
        found = [one for one in findings if self._placed(one, asked) is None and not self._is_excluded(one)]
        found = [self._policy(one.place.file).weighed(one) for one in found]
        found = [one for one in found if one.severity is Severity.ERROR and self._policy(one.place.file).wants(one)]
        found = [one for one in unique(found) if self._silenced(one, self._comment(one)) is None]
        known = self.baseline.known(found) if self.baseline is not None else ()
        return [one for one in found if id(one) not in known]

    def _is_excluded(self, finding: Finding) -> bool:
        settings = self.settings_for(finding.place.file)
        return excluded(finding.place.file.real_path, settings.exclude, settings.root)

    def _placed(self, finding: Finding, asked: Container[Path]) -> Finding | None:
        """The finding in a checked file: where it is, or by the last step on the way there that is in one.

        What is silenced where it is, is silenced.
        """
        if finding.place.file.real_path in asked:
            return finding
        if finding.code not in self._reported_at_calls:
            return None
        steps = [note for note in finding.notes if note.role in _LEADS]
        last = next((note for note in reversed(steps) if note.place.file.real_path in asked), None)
        if last is None or self._silenced(finding, self._comment(finding)) is not None:
            return None
        there = Note("related", finding.place, "it happens here")
        remedy = finding.no_fix or _FURTHER
        return replace(finding, place=last.place, notes=(*finding.notes, there), fix=None, no_fix=remedy)

    def unused(self, file: SourceFile) -> Iterator[tuple[Suppression, tuple[str, ...]]]:
        """The comments of a file, with those of their codes that silenced nothing although their rules were run."""
        codes = self._policy(file).codes
        selected = {key for rule in self._book.rules if rule.code in codes for key in (rule.code, rule.name)}
        for comment in file.suppressions.comments:
            tried = [code for code in comment.codes if code in selected]
            idle = tuple(code for code in tried if not self.used[file.real_path, comment.line, code])
            if idle:
                yield comment, idle

    def unknown(self, file: SourceFile) -> Iterator[tuple[int, str]]:
        """The lines of a file's comments that name what is no rule, with what is said about that."""
        codes, names = {rule.code for rule in self._book.rules}, {rule.name for rule in self._book.rules}
        for comment in file.suppressions.comments:
            for code in comment.codes:
                if code not in codes and code not in names:
                    yield comment.line, unknown_code(code, codes, names)

    def _policy(self, file: SourceFile) -> _Policy:
        settings = self.settings_for(file)
        if settings.config not in self._policies:
            self._policies[settings.config] = _Policy(self._book, settings)
        return self._policies[settings.config]

    def _comment(self, finding: Finding) -> Suppression | None:
        file = finding.place.file
        if not file.suppressions.comments:
            return None
        keys = (finding.code, finding.name)
        comment = file.suppressions.find(keys, comment_lines_of(finding.place))
        if comment is not None:
            self.used.update((file.real_path, comment.line, key) for key in keys if key in comment.codes)
        return comment

    def _silenced(self, finding: Finding, comment: Suppression | None) -> Silenced | None:
        pattern = self._policy(finding.place.file).pattern(finding)
        if pattern is not None:
            return Silenced(finding, "per-file-ignores", reason=pattern)
        return None if comment is None else Silenced(finding, "comment", comment.line, comment.reason)


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and place, the surest and gravest; sorted by path, place and code.

    What one walk comes to by a call is not unused because another one found nobody who calls.
    """
    best: dict[tuple[str, int, int, str], Finding] = {}
    for finding in sorted(findings, key=lambda one: (one.fold is not None, _rank(one))):
        best.setdefault(finding.spot, finding)
    return [best[key] for key in sorted(best)]


def _rank(finding: Finding) -> tuple[int, int]:
    return _CERTAINTY[finding.confidence], _WEIGHT[finding.severity]


def known_and_changed(settings: Settings) -> tuple[Baseline | None, ChangedLines | None]:
    baseline, changed = None, None
    if settings.baseline:
        from ddplint.engine.judging.baseline import read_baseline

        baseline = read_baseline(settings.baseline)
    if settings.diff_base:
        from ddplint.engine.judging.diff_base import changed_since

        changed = changed_since(settings.diff_base, Path.cwd())
    return baseline, changed

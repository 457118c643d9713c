"""Paths → files → walks → findings. One report comes out, whatever goes wrong with single files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ddplint import __version__
from ddplint.decoding import DecodingError, refuse_binary
from ddplint.deep import on_deep_stack
from ddplint.discovery import discover, matches, relevant
from ddplint.rule import Confidence, Finding, Rule, Severity
from ddplint.settings import Settings
from ddplint.source import SourceError, SourceFile

if TYPE_CHECKING:
    from ddplint.project import Project
    from ddplint.registry import RuleBook
    from ddplint.simulate.facts import Walk

__all__ = ["Checker", "Limit", "Problem", "Report", "Silenced", "check", "check_source"]

_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.ADVICE: 2}

T = TypeVar("T")


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
class Limit:
    """A budget that ran out while ``entry`` of a file was walked: what lies beyond it was not seen."""

    path: str
    entry: str
    text: str


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

    ``files`` are all files looked at, ``walked`` those that were simulated; ``problems`` holds errors and warnings
    about files, paths and rules.
    """

    findings: list[Finding] = field(default_factory=list)
    silenced: list[Silenced] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    walked: list[SourceFile] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

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

    def exit_code(self, *, strict: bool = False) -> int:
        """2 where something could not be checked, 1 where there are findings that count, else 0.

        Parameters: ``strict``, whether advice counts.
        """
        if self.errors:
            return 2
        return int(any(strict or finding.severity is not Severity.ADVICE for finding in self.findings))


def check(paths: Iterable[str], settings: Settings, *, stdin: SourceFile | None = None) -> Report:
    """Check files and folders.

    Parameters: ``paths``, as the user gave them; ``stdin``, the file that ``-`` stands for. Raises
    :class:`ddplint.settings.SettingsError` where ``settings`` name a rule that does not exist.
    """
    checker = Checker(settings)
    paths = list(paths)
    found = discover([path for path in paths if path != "-"], settings.exclude, settings.root)
    report = checker.report
    report.problems += [Problem("no such file or folder", path) for path in found.missing]
    report.problems += [Problem(f"cannot be read: {why}", path) for path, why in found.unreadable]
    report.problems += [Problem("no Python files here", path, fatal=False) for path in found.barren]
    files = [*([stdin] if stdin is not None and "-" in paths else []), *checker.read(found.files)]
    return checker.run(files)


def check_source(file: SourceFile, settings: Settings) -> list[Finding]:
    """The findings of one file. Raises :class:`SourceError` where it cannot be read as Python."""
    report = Checker(settings).run([file])
    for problem in report.errors:
        raise SourceError(file.path, problem.line, problem.column, problem.message)
    return report.findings


class Checker:
    """One run: its settings, its rules (loaded when the first file needs them) and its report."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.report = Report()
        self._rules: tuple[Rule, ...] | None = None
        if settings.select or settings.ignore or settings.per_file_ignores:
            self.rules()

    def rules(self) -> tuple[Rule, ...]:
        """The selected rules. Raises :class:`ddplint.settings.SettingsError` for words that name none."""
        if self._rules is None:
            from ddplint.registry import load_rules, select

            book = load_rules()
            self.report.problems += [Problem(error) for error in book.errors]
            self._rules = select(book, self.settings.select, self.settings.ignore)
            self._ignored_in = _ignored_codes(book, self.settings)
        return self._rules

    def read(self, paths: Iterable[str]) -> Iterator[SourceFile]:
        """The files at ``paths`` that could be read; the others become problems."""
        for path in paths:
            try:
                yield SourceFile.read(path)
            except SourceError as error:
                self._problem(error)

    def run(self, files: Iterable[SourceFile]) -> Report:
        """Check ``files`` and complete the report."""
        walked = [file for file in files if self._is_relevant(file)]
        if walked:
            on_deep_stack(lambda: self._walk(walked))
        return self.report

    def _is_relevant(self, file: SourceFile) -> bool:
        try:
            refuse_binary(file.data)
        except DecodingError as error:
            self._problem(SourceError(file.path, error.line, 1, str(error)))
            return False
        self.report.files.append(file.path)
        return relevant(file.data, _words(self.settings))

    def _walk(self, files: Sequence[SourceFile]) -> None:
        rules = self.rules()
        project = _project(files, self.settings)
        found: list[Finding] = []
        for file in files:
            walks = self._walks(file, project)
            for walk in walks:
                self.report.limits += [Limit(file.path, walk.entry, text) for text in walk.limits]
            for rule in rules if walks else ():
                found += self._findings(rule, file, walks)
        self._judge(found, files)

    def _walks(self, file: SourceFile, project: Project) -> list[Walk]:
        try:
            file.module
        except SourceError as error:
            self._problem(error)
            return []
        except RecursionError:
            self.report.problems.append(Problem("the code is nested too deeply to be read", file.path, 1, 1))
            return []
        self.report.walked.append(file)
        return self._guarded("the walk", file, lambda: _simulate(file, project, self.settings)) or []

    def _findings(self, rule: Rule, file: SourceFile, walks: Sequence[Walk]) -> list[Finding]:
        return self._guarded(f"rule {rule.code}", file, lambda: list(rule.check_file(walks))) or []

    def _guarded(self, what: str, file: SourceFile, work: Callable[[], T]) -> T | None:
        """What ``work`` returns; a crash of ours becomes one line, and the run goes on."""
        try:
            return work()
        except SourceError as error:
            self._problem(error)
        except RecursionError:
            self.report.problems.append(Problem(f"{what} gave up: the code is nested too deeply", file.path))
        except Exception as error:
            self.report.problems.append(Problem(f"internal error in {what}: {_crash(error)}", file.path))
        return None

    def _judge(self, found: Iterable[Finding], files: Sequence[SourceFile]) -> None:
        """Sort, remove duplicates and silenced findings; what lies in files nobody asked about goes."""
        asked = {file.real_path for file in files}
        wanted = [
            finding
            for finding in found
            if finding.place.file.real_path in asked
            and _CERTAINTY[finding.confidence] <= _CERTAINTY[self.settings.min_confidence]
        ]
        for finding in _unique(wanted):
            silenced = self._silenced(finding)
            if silenced is None:
                self.report.findings.append(finding)
            else:
                self.report.silenced.append(silenced)
        for file in self.report.walked:
            self.report.problems += [
                Problem(text, file.path, line, 1, fatal=False) for line, text in file.suppressions.remarks
            ]

    def _silenced(self, finding: Finding) -> Silenced | None:
        from ddplint.suppressions import comment_lines

        file = finding.place.file
        for pattern, codes in self._ignored_in:
            if finding.code in codes and matches(pattern, file.real_path, self.settings.root.resolve()):
                return Silenced(finding, "per-file-ignores", reason=pattern)
        if not file.suppressions.comments:
            return None
        comment = file.suppressions.find((finding.code, finding.name), comment_lines(file, finding.place.node))
        return None if comment is None else Silenced(finding, "comment", comment.line, comment.reason)

    def _problem(self, error: SourceError) -> None:
        problem = Problem(error.message, error.path, error.line, error.column)
        if problem not in self.report.problems:
            self.report.problems.append(problem)


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each code and place, the surest and gravest; sorted by path, place and code."""
    best: dict[tuple[str, int, int, str], Finding] = {}
    order = sorted(findings, key=lambda finding: (_CERTAINTY[finding.confidence], _WEIGHT[finding.severity]))
    for finding in order:
        place = finding.place.file.range_of(finding.place.node)
        key = (str(finding.place.file.real_path), place.start_line, place.start_col, finding.code)
        best.setdefault(key, finding)
    return [best[key] for key in sorted(best)]


def _ignored_codes(book: RuleBook, settings: Settings) -> list[tuple[str, frozenset[str]]]:
    from ddplint.registry import matching

    return [
        (pattern, frozenset(rule.code for word in words for rule in matching(book, word)))
        for pattern, words in settings.per_file_ignores
    ]


def _words(settings: Settings) -> re.Pattern[bytes]:
    """What a file must mention to be worth parsing: the words of the knowledge tables and the user's own names."""
    from ddplint.knowledge import load_knowledge

    words = load_knowledge().prefilter()
    own = settings.knowledge
    names = {*own.collectives, *own.rank_predicates, *own.sanitizers, *own.rank_zero_decorators}
    if not names:
        return words
    own_words = sorted(re.escape(name.rpartition(".")[2].encode()) for name in names)
    return re.compile(b"|".join([words.pattern, *own_words]), words.flags)


def _project(files: Sequence[SourceFile], settings: Settings) -> Project:
    from ddplint.project import Project

    return Project(files, settings)  # type: ignore[call-arg, arg-type, unused-ignore]


def _simulate(file: SourceFile, project: Project, settings: Settings) -> list[Walk]:
    from ddplint.simulate import simulate

    return simulate(file, project, settings)


def _crash(error: Exception) -> str:
    """One line about a crash of ours, with the place in our code, and where to send it."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{said} (at {place}, ddplint {__version__}); please report it"

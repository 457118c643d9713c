"""The check of files that matter, against parsing them with LibCST."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

import libcst as cst

from benchmarks.timing import cpu
from benchmarks.trees import Tree, fixtures, sample
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.engine.judging.selection import Judge
from ddplint.findings.results import Report
from ddplint.rulebook.registry import load_rules
from ddplint.source import parsing
from ddplint.source.file import SourceFile
from ddplint.util.stack import on_deep_stack

__all__ = ["HEADINGS", "measure"]

HEADINGS = ("tree", "files", "lines", "parse", "check", "÷ parse", "÷ read", "one run ÷ read")
_ROUNDS = 3


@dataclass
class Rounds:
    """Seconds for one file, a number per round: its own parse, its check, the parse of all files its walk read."""

    file: SourceFile
    own: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)
    read: list[float] = field(default_factory=list)

    def per_thousand_lines(self, seconds: list[float]) -> float:
        """Milliseconds per thousand lines of the file."""
        return 1e6 * median(seconds) / len(self.file.lines)

    def ratio(self, to: list[float]) -> float:
        """The median of the rounds' ratios: the two halves of a pair ran next to each other."""
        return median(check / parse for check, parse in zip(self.check, to))


def measure(tree: Tree, count: int, seconds: float) -> tuple[str, ...]:
    """One row of the table.

    Parameters: ``count``, files at most; ``seconds`` of wall time after which no further file is begun.
    Raises ``RuntimeError`` where a check has failed: what stops early is quick for the wrong reason.
    """
    judge = Judge(load_rules(), Settings())
    files = sample(tree, count, mentions=True)
    if not files:
        return (tree.name, "0", *("-" for _ in HEADINGS[2:]))
    _check(sample(fixtures(), 1, mentions=True), judge)  # imports and knowledge tables are start-up
    done = [rounds for rounds in _rounds(files, judge, time.monotonic() + seconds) if rounds.check]
    together = _one_run([rounds.file for rounds in done], judge)
    return (
        tree.name,
        str(len(done)),
        str(sum(len(rounds.file.lines) for rounds in done)),
        f"{median(r.per_thousand_lines(r.own) for r in done):.0f} ms",
        f"{median(r.per_thousand_lines(r.check) for r in done):.0f} ms",
        f"{median(r.ratio(r.own) for r in done):.1f}",
        f"{median(r.ratio(r.read) for r in done):.1f}",
        f"{together:.1f}",
    )


def _rounds(files: Sequence[SourceFile], judge: Judge, end: float) -> list[Rounds]:
    """All files once, then all of them again: when time runs out, most were measured at least once."""
    measured = [Rounds(file) for file in files]
    for turn in range(_ROUNDS):
        for number, rounds in enumerate(measured):
            if time.monotonic() > end and (turn or number):
                return measured
            _round(rounds, judge)
    return measured


def _round(rounds: Rounds, judge: Judge) -> None:
    """Parse, check, parse: neighbours in time, so that what else the machine does weighs on all of them."""
    own = cpu(lambda: _parse([rounds.file.text]))[0]
    with _texts_read() as texts:
        check = cpu(lambda: _check([rounds.file], judge))[0]
    read = cpu(lambda: _parse(texts))[0]
    rounds.own.append(own)
    rounds.check.append(check)
    rounds.read.append(read)


def _one_run(files: Sequence[SourceFile], judge: Judge) -> float:
    """The check of all files in one run, against parsing once each file that it read."""
    with _texts_read() as texts:
        check = cpu(lambda: _check(files, judge))[0]
    return check / cpu(lambda: _parse(texts))[0]


def _parse(texts: Sequence[str]) -> None:
    def work() -> None:
        for text in texts:
            cst.parse_module(text)

    on_deep_stack(work)  # as the check does


def _check(files: Sequence[SourceFile], judge: Judge) -> Report:
    fresh = [SourceFile(file.path, file.data) for file in files]
    report = Checker(Settings(), judge).run(fresh)
    for problem in report.errors:
        raise RuntimeError(f"the check of {problem.path} failed: {problem.message}")
    return report


@contextmanager
def _texts_read() -> Iterator[list[str]]:
    """The texts that are parsed inside: a walk follows imports into files of the same project."""
    texts: list[str] = []
    parse = parsing.parse

    def noting(text: str) -> cst.Module:
        texts.append(text)
        return parse(text)

    setattr(parsing, "parse", noting)  # noqa: B010
    try:
        yield texts
    finally:
        setattr(parsing, "parse", parse)  # noqa: B010

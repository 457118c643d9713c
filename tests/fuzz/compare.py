"""Compares what ddplint says of random programs with what they really do, and shrinks every disagreement."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.oracle import Oracle, Truth, without
from tests.fuzz.programs import random_program
from tests.fuzz.reduce import shrink
from tests.fuzz.tool import MAYBE, Alarm, Answer, ToolError, ask, fix

BATCH = 100
Ask = Callable[[Sequence[str]], list[Answer]]


@dataclass(frozen=True)
class Judged:
    """A program, the truth, and the alarms about code that some run entered."""

    source: str
    truth: Truth
    answer: Answer
    alarms: tuple[Alarm, ...]
    seed: int = 0
    misplaced: bool = False

    @property
    def valid(self) -> bool:
        """Whether the truth may be relied on: nothing but deliberate errors, nothing cut short."""
        return not self.truth.errors and not self.truth.cut_short

    @property
    def disagreement(self) -> str:
        """``missed``, ``false`` or nothing; an alarm about a job that is torn down anyway is not judged."""
        if not self.valid:
            return ""
        if self.truth.diverges:
            return "" if self.alarms else "missed"
        certain = any(alarm.code not in MAYBE for alarm in self.alarms)
        return "false" if certain and not self.truth.torn else ""


@dataclass
class Score:
    """The numbers of a comparison."""

    programs: int = 0
    divergent: int = 0
    invalid: int = 0
    elsewhere: list[Judged] = field(default_factory=list)
    limited: int = 0
    cautious: int = 0
    crashed: list[Judged] = field(default_factory=list)
    missed: list[Judged] = field(default_factory=list)
    false: list[Judged] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        self.programs += 1
        self.invalid += not judged.valid
        self.divergent += judged.truth.diverges
        if judged.misplaced:
            self.elsewhere.append(judged)
        self.cautious += bool(judged.alarms) and not judged.truth.diverges and not judged.disagreement
        self.limited += bool(judged.answer.limits)
        if judged.answer.problems:
            self.crashed.append(judged)
        if judged.disagreement:
            getattr(self, judged.disagreement).append(judged)

    def __str__(self) -> str:
        return (
            f"programs {self.programs}, truly divergent {self.divergent}, missed alarms {len(self.missed)}, "
            f"false alarms {len(self.false)}, failures {len(self.crashed)}, walks cut short {self.limited}, "
            f"cautious warnings {self.cautious}, "
            f"true alarms at another place {len(self.elsewhere)}, unusable {self.invalid}"
        )


def judge(oracle: Oracle, sources: Sequence[str], seeds: Sequence[int] = (), tool: Ask = ask) -> list[Judged]:
    """The truth and the tool's answer for each program. Raises ``ToolError`` when the tool fails."""
    answers = tool(sources)
    numbers = seeds or [0] * len(sources)
    judged = []
    for source, answer, seed in zip(sources, answers, numbers, strict=True):
        truth = oracle.truth(source)
        alive = tuple(alarm for alarm in answer.alarms if alarm.line not in truth.dead)
        if alive and truth.dead and not truth.diverges and not tool([without(source, truth.dead)])[0].alarms:
            alive = ()
        judged.append(Judged(source, truth, answer, alive, seed, _misplaced(oracle, source, truth, alive)))
    return judged


def _misplaced(oracle: Oracle, source: str, truth: Truth, alarms: Sequence[Alarm]) -> bool:
    """Whether no true alarm names a line without whose collectives the ranks would get further, or less far."""
    if not truth.diverges or not alarms:
        return False
    return not any(
        oracle.truth(source, without=lines).hangs.keys() != truth.hangs.keys()
        for alarm in alarms
        for lines in (frozenset({alarm.line}), alarm.named)
    )


def disagrees(oracle: Oracle, sources: Sequence[str], how: str) -> list[bool]:
    """For each program, whether tool and truth disagree in the way ``how`` (``missed`` or ``false``)."""
    return [judged.disagreement == how for judged in judge(oracle, sources)]


def compare(oracle: Oracle, seeds: Sequence[int]) -> Score:
    """Judge the programs of ``seeds``."""
    score = Score()
    for start in range(0, len(seeds), BATCH):
        batch = seeds[start : start + BATCH]
        sources = [random_program(seed).source for seed in batch]
        for judged in judge(oracle, sources, batch):
            score.add(judged)
    return score


def smallest(oracle: Oracle, judged: Judged) -> Judged:
    """The disagreement on the smallest program that still shows one of its kind."""
    how = judged.disagreement
    source = shrink(judged.source, lambda sources: disagrees(oracle, sources, how))
    return judge(oracle, [source], [judged.seed])[0]


def header(judged: Judged) -> str:
    """The comment that states the truth at the head of a regression case."""
    if not judged.truth.diverges:
        return "# truth: fine"
    lines = {stop.line for hang in judged.truth.hangs for stop in hang.stops if stop.line}
    return f"# truth: diverges line {', '.join(map(str, sorted(line + 1 for line in lines)))}"


def show(judged: Judged) -> Iterator[str]:
    """A disagreement for a reader."""
    yield f"=== {judged.disagreement or ('misplaced' if judged.misplaced else '')} alarm, seed {judged.seed}"
    for hang, assignment in list(judged.truth.hangs.items())[:3]:
        yield f"# truth: {hang} with {dict(assignment)}"
    for alarm in judged.alarms[:3]:
        yield f"# ddplint: {alarm.code} line {alarm.line}: {alarm.message}"
    for text in (*judged.answer.problems, *judged.answer.limits):
        yield f"# ddplint: {text}"
    yield judged.source


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 0 when there is no disagreement."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="programs to compare")
    parser.add_argument("--seed", type=int, default=0, help="first seed; programs have seeds SEED, SEED+1, …")
    parser.add_argument("--shrink", type=int, default=10, help="disagreements of each kind to shrink and print")
    parser.add_argument("--save", type=Path, help="folder for the shrunk disagreements as regression cases")
    parser.add_argument("--fix", action="store_true", help="also apply the fixes and judge the rewritten programs")
    parser.add_argument(
        "--gloo", type=int, default=0, metavar="K", help="run K programs under gloo and check the oracle"
    )
    options = parser.parse_args(argv)
    if options.gloo:
        from tests.fuzz import gloo

        return gloo.check(range(options.seed, options.seed + options.gloo))
    with Oracle() as oracle:
        try:
            return max(_report(oracle, options), _report_fixes(oracle, options) if options.fix else 0)
        except ToolError as error:
            print(f"ddplint failed: {error}")
            return 2


def _report(oracle: Oracle, options: argparse.Namespace) -> int:
    score = compare(oracle, range(options.seed, options.seed + options.count))
    print(score)
    for judged in (*score.crashed[: options.shrink], *score.elsewhere[: options.shrink]):
        print("\n".join(show(judged)))
    seen: Counter[str] = Counter()
    for judged in (*score.missed[: options.shrink], *score.false[: options.shrink]):
        small = smallest(oracle, judged)
        seen[small.source] += 1
        if seen[small.source] == 1:
            print("\n".join(show(small)))
            if options.save:
                name = f"{small.disagreement}_{small.seed}.py"
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / name).write_text(f"{header(small)}\n{small.source}")
    return 1 if score.missed or score.false or score.crashed else 0


def _report_fixes(oracle: Oracle, options: argparse.Namespace) -> int:
    """Whether programs that ``--fix`` changed agree across ranks, unless ddplint still complains about them."""
    score = Score()
    for start in range(options.seed, options.seed + options.count, BATCH):
        seeds = range(start, min(start + BATCH, options.seed + options.count))
        sources = [random_program(seed).source for seed in seeds]
        changed = [pair for pair in zip(seeds, sources, fix(sources), strict=True) if pair[1] != pair[2]]
        for judged in judge(oracle, [after for _, _, after in changed], [seed for seed, _, _ in changed]):
            score.add(judged)
    print(f"rewritten by --fix: {score}")
    for judged in (*score.missed, *score.false)[: options.shrink]:
        print("\n".join(show(judged)))
    return 1 if score.missed or score.false or score.crashed else 0

"""``python -m tests.fuzz.trained``: what ddplint says of programs that train, against what they do."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.fuzz.reduce import shrink
from tests.fuzz.rendezvous import World
from tests.fuzz.tool import Alarm, Answer, ask
from tests.fuzz.trained.grammar import trained_program
from tests.fuzz.trained.oracle import Truth, truth

BATCH = 100
CODES = {
    "hang": frozenset({"DDP101", "DDP102", "DDP103", "DDP104", "DDP105", "DDP106", "DDP608", "DDP701"}),
    "drift": frozenset({"DDP601", "DDP603", "DDP604", "DDP608"}),
    "dead": frozenset({"DDP607", "DDP608"}),
    "alike": frozenset({"DDP605"}),
    "shares": frozenset({"DDP307"}),
}
"""The rules that speak of each fault."""
ALL = frozenset[str]().union(*CODES.values())


@dataclass(frozen=True)
class Judged:
    """A program, what it does, and what was said of it."""

    seed: int
    source: str
    truth: Truth
    answer: Answer

    @property
    def missed(self) -> list[str]:
        """Faults of which no rule speaks."""
        said = {alarm.code for alarm in self.answer.alarms}
        return [] if self.truth.errors else [kind for kind in self.truth.faults if not said & CODES[kind]]

    @property
    def false(self) -> list[Alarm]:
        """Alarms about faults that no run had; of a job that hangs nobody knows the weights."""
        happened = {code for kind in self.truth.faults for code in CODES[kind]}
        if self.truth.errors or "hang" in self.truth.faults:
            return []
        return [alarm for alarm in self.answer.alarms if alarm.code not in happened]


def judge(world: World, sources: Sequence[str], seeds: Iterable[int]) -> list[Judged]:
    """What ddplint says of each program, beside the truth. Raises ``ToolError`` when the tool fails."""
    answers = ask(sources, ALL)
    return [
        Judged(seed, source, truth(world, source), answer)
        for seed, source, answer in zip(seeds, sources, answers, strict=True)
    ]


def _told(judged: Judged) -> Iterator[str]:
    yield f"=== seed {judged.seed}: {judged.truth}; missed {judged.missed}, false {[one.code for one in judged.false]}"
    yield from (f"# {alarm.code} line {alarm.line}: {alarm.message}" for alarm in judged.answer.alarms)
    yield from (f"# {text}" for text in (*judged.answer.problems, *judged.truth.errors))
    yield judged.source


def _smallest(world: World, judged: Judged) -> Judged:
    """A small program that is misjudged in the same way."""
    how = (judged.missed, {alarm.code for alarm in judged.false})

    def still(sources: Sequence[str]) -> list[bool]:
        each = judge(world, sources, [judged.seed] * len(sources))
        return [(one.missed, {alarm.code for alarm in one.false}) == how and not one.truth.errors for one in each]

    source = shrink(judged.source, still, 40)
    return judge(world, [source], [judged.seed])[0]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 0 when every program is judged right."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.trained", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="programs to compare")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--shrink", type=int, default=0, help="programs judged wrongly to shrink")
    parser.add_argument("--show", type=int, default=10, help="programs judged wrongly to print")
    options = parser.parse_args(argv)
    world = World()
    seeds = range(options.seed, options.seed + options.count)
    every: list[Judged] = []
    for start in range(0, len(seeds), BATCH):
        batch = seeds[start : start + BATCH]
        every += judge(world, [trained_program(seed) for seed in batch], batch)
    wrong = [one for one in every if one.missed or one.false]
    kinds = Counter(kind for one in every for kind in one.truth.faults)
    missed = Counter(kind for one in every for kind in one.missed)
    false = Counter(alarm.code for one in every for alarm in one.false)
    unusable = sum(bool(one.truth.errors) for one in every)
    faulty = sum(bool(one.truth.faults) for one in every)
    print(f"programs {len(every)}, faulty {faulty} {dict(kinds)}, missed {dict(missed)}, false {dict(false)}", end="")
    print(f", unusable {unusable}")
    for number, one in enumerate(wrong[: options.show]):
        print("\n".join(_told(_smallest(world, one) if number < options.shrink else one)))
    world.close()
    return 1 if wrong or unusable else 0


if __name__ == "__main__":
    raise SystemExit(main())

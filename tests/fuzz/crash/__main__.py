"""Crash fuzzing: ``python -m tests.fuzz.crash --count 20000 --record fixtures/results/crash_fuzz.json``.

Prints each kind of crash with the first seed that shows it, and ends with 1 where there is one. Every second batch also
works out the fixes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ddplint.version import __version__
from tests.fuzz.crash.asked import asked, bounded
from tests.fuzz.crash.trainers import random_trainer

BATCH = 20
FIXED = 10
"""One batch in so many also works out the fixes, which costs three times as much."""


@dataclass
class Result:
    """``crashes`` are the kinds, each with its message and seeds; ``slow`` are the first seeds of slow batches."""

    first_seed: int = 0
    version: str = __version__
    programs: int = 0
    fixed: int = 0
    findings: int = 0
    seconds: float = 0.0
    slow: list[int] = field(default_factory=list)
    crashes: dict[str, tuple[str, list[int]]] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"programs {self.programs} (fixes worked out for {self.fixed}), findings {self.findings}, "
            f"kinds of crashes {len(self.crashes)}, slow batches {len(self.slow)}, {self.seconds:.0f} s"
        )

    def keep(self, record: Path | None) -> None:
        """Write down what was found so far: a run that is stopped has its record."""
        if record is not None:
            record.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    def add(self, seeds: Sequence[int], *, fixing: bool, patience: float = 120.0) -> None:
        """Ask about a batch."""
        answer = asked([random_trainer(seed) for seed in seeds], fixing=fixing)
        self.programs += len(seeds)
        self.fixed += len(seeds) if fixing else 0
        self.findings += answer.findings
        self.seconds = round(self.seconds + answer.seconds, 1)
        if answer.seconds > patience:
            self.slow.append(seeds[0])
        for crash in answer.crashes:
            seed = seeds[crash.number] if crash.number >= 0 else seeds[0]
            self.crashes.setdefault(crash.kind, (crash.message, []))[1].append(seed)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 0 when nothing crashed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.crash", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="programs (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="first seed; programs have seeds SEED, SEED+1, …")
    parser.add_argument("--record", type=Path, help="JSON file for the result")
    options = parser.parse_args(argv)
    bounded()
    result = Result(options.seed)
    for number, start in enumerate(range(options.seed, options.seed + options.count, BATCH)):
        known = set(result.crashes)
        result.add(range(start, min(start + BATCH, options.seed + options.count)), fixing=number % FIXED == 0)
        for kind in sorted(set(result.crashes) - known):
            message, seeds = result.crashes[kind]
            print(f"seed {seeds[0]}: {message}", flush=True)
        if number % 25 == 24:
            print(result, file=sys.stderr, flush=True)
            result.keep(options.record)
    print(result)
    result.keep(options.record)
    return 1 if result.crashes else 0


if __name__ == "__main__":
    raise SystemExit(main())

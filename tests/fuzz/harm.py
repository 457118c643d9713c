"""Differential fuzzing of fixes: ``python -m tests.fuzz.harm`` says which rewrites of random programs do harm."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.fuzz.disk import harm
from tests.fuzz.rendezvous import World
from tests.fuzz.tool import fix
from tests.fuzz.writing import writing_program

BATCH = 100


@dataclass
class Result:
    """``harmful`` are the seeds of programs that a rewrite harms, with what it does."""

    first_seed: int = 0
    programs: int = 0
    rewritten: int = 0
    with_barrier: int = 0
    harmful: dict[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"programs {self.programs}, rewritten {self.rewritten} (with a new barrier {self.with_barrier}), "
            f"harmful {len(self.harmful)}"
        )


def judged(world: World, seeds: Sequence[int], result: Result) -> Iterator[tuple[int, str, str, str]]:
    """The harmful rewrites: seed, what it does, the program before and after."""
    before = [writing_program(seed) for seed in seeds]
    for seed, old, new in zip(seeds, before, fix(before, "--unsafe-fixes", "--fix-advice"), strict=True):
        result.programs += 1
        result.rewritten += old != new
        result.with_barrier += new.count("barrier()") > old.count("barrier()")
        found = harm(world, old, new) if old != new else ""
        if found:
            result.harmful[seed] = found
            yield seed, found, old, new


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 0 when no rewrite does harm."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.harm", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="programs to rewrite")
    parser.add_argument("--seed", type=int, default=0, help="first seed; programs have seeds SEED, SEED+1, …")
    parser.add_argument("--show", type=int, default=5, help="harmful rewrites to print")
    parser.add_argument("--record", type=Path, help="JSON file for the result")
    options = parser.parse_args(argv)
    world, result = World(), Result(options.seed)
    for start in range(options.seed, options.seed + options.count, BATCH):
        seeds = range(start, min(start + BATCH, options.seed + options.count))
        for seed, found, old, new in judged(world, seeds, result):
            if len(result.harmful) <= options.show:
                print(f"=== seed {seed}: {found}\n{old}\n--- rewritten\n{new}")
        print(result, file=sys.stderr, flush=True)
    world.close()
    print(result)
    if options.record:
        options.record.write_text(json.dumps(asdict(result), indent=2) + "\n")
    return 1 if result.harmful else 0


if __name__ == "__main__":
    raise SystemExit(main())

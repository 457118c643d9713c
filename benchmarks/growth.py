"""How the cost of a check grows with the size of a program: the same thing again, beside itself or inside itself."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.timing import cpu
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.engine.judging.selection import Judge
from ddplint.rulebook.registry import load_rules
from ddplint.source.file import SourceFile

__all__ = ["HEADINGS", "SHAPES", "measure", "program"]

HEADINGS = ("shape", "times", "lines", "ms per 1000 lines: once", "×2", "×4", "×8")
_ROUNDS = 3
_HEAD = """\
import argparse
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
args = argparse.ArgumentParser().parse_args()
"""


def _trainers(count: int) -> str:
    """Whole trainers, one after another."""
    return "".join(
        f"""
def train_{i}(loader, epochs):
    model = DDP(torch.nn.BatchNorm1d(2))
    best, step = 0.0, 0
    for epoch in range(epochs):
        for batch in loader:
            loss = model(batch).sum()
            if torch.isnan(loss):
                raise ValueError(step)
            loss.backward()
            step += 1
            if step % args.every_{i} == 0 and rank == 0:
                print(step, loss.item())
        dist.all_reduce(loss)
        if loss.item() > best:
            best = loss.item()
            if rank == 0:
                torch.save(model.state_dict(), "best_{i}.pt")
        dist.barrier()


train_{i}(args.loader_{i}, args.epochs_{i})
"""
        for i in range(count)
    )


def _decisions(count: int) -> str:
    """Decisions in a row, with communication after each."""
    return "".join(
        f"if args.flag_{i}:\n    dist.barrier()\nif rank == 0:\n    print({i})\ndist.barrier()\n" for i in range(count)
    )


def _calls(count: int) -> str:
    """A chain of helpers, each of which calls the one before it."""
    chain = "".join(
        f"\n\ndef helper_{i + 1}(value):\n    if rank == {i % 4}:\n        print(value)\n    helper_{i}(value)\n"
        for i in range(count)
    )
    return f"\n\ndef helper_0(value):\n    dist.all_reduce(value)\n{chain}\n\nhelper_{count}(torch.ones(1))\n"


def _nested(count: int) -> str:
    """Blocks inside blocks, as deep as people write them: conditions, loops and handlers in turn."""
    heads = ("if args.flag_{}:", "for item in args.items_{}:", "try:", "with torch.no_grad():")
    text = []
    for number in range(count):
        lines = [f"{'    ' * d}{heads[d % len(heads)].format(f'{number}_{d}')}" for d in range(6)]
        lines.append(f"{'    ' * 6}dist.barrier()")
        lines.append(f"{'    ' * 2}finally:")
        lines.append(f"{'    ' * 3}print({number})")
        text.append("\n".join(lines))
    return "\n".join(text) + "\n"


def _alternatives(count: int) -> str:
    """Conditions on values with several alternatives, each inside the one before it, again and again."""
    return "".join(
        "".join(
            f"{'    ' * depth}value = 1 if args.a_{i}_{depth} else 2 if args.b_{i}_{depth} else None\n"
            f"{'    ' * depth}if value:\n"
            for depth in range(5)
        )
        + f"{'    ' * 5}print({i})\nif rank == 0:\n    print({i})\ndist.barrier()\n"
        for i in range(count)
    )


def _guards(count: int) -> str:
    """Guards that keep some ranks from what the others do, one after another, each where a decision led."""
    return "".join(
        f"for item in args.items_{i}:\n    if args.flag_{i}:\n"
        f"        if rank == 0:\n            dist.broadcast(item, 0)\n        dist.barrier()\n"
        for i in range(count)
    )


def _terms(count: int) -> str:
    """Expressions of many terms, each on a line of its own."""
    kinds = (" +", " and", " or", " *", " in", " |")
    sums = (f"{sign}\n    ".join(f"args.term_{i}" for i in range(count)) for sign in kinds)
    return "".join(f"total_{number} = (\n    {text}\n)\ndist.barrier()\n" for number, text in enumerate(sums))


def _cursors(count: int) -> str:
    """Cursors of loaders: each rank begins elsewhere, and goes back where the data ends."""
    return "".join(
        f"""
class Loader_{i}:
    def __init__(self):
        self.position = rank * args.size_{i}

    def next_batch(self):
        batch = args.tokens_{i}[self.position]
        self.position += args.size_{i} * dist.get_world_size()
        if self.position > len(args.tokens_{i}):
            self.position = rank * args.size_{i}
        return batch


loader_{i} = Loader_{i}()
for step in range(args.steps_{i}):
    batch = loader_{i}.next_batch()
    dist.all_reduce(batch)
"""
        for i in range(count)
    )


def _matches(count: int) -> str:
    """``match`` statements whose cases are guarded."""
    cases = "".join(
        f"    case {number} if args.guard_{{i}}_{number}:\n        print({number})\n" for number in range(4)
    )
    text = f"match args.kind_{{i}}:\n{cases}    case _:\n        dist.barrier()\n"
    return "".join(text.format(i=i) for i in range(count))


def _loops(count: int) -> str:
    """Loops inside loops."""
    return "".join(
        "".join(f"{'    ' * depth}for item_{depth} in args.items_{i}_{depth}:\n" for depth in range(5))
        + f"{'    ' * 5}dist.all_reduce(item_4)\n"
        for i in range(count)
    )


SHAPES: dict[str, tuple[Callable[[int], str], int]] = {
    "trainers beside each other": (_trainers, 3),
    "decisions in a row": (_decisions, 25),
    "helpers that call helpers": (_calls, 4),
    "nested blocks, again and again": (_nested, 12),
    "guarded collectives in a row": (_guards, 6),
    "expressions of many terms": (_terms, 60),
    "values of several alternatives inside each other": (_alternatives, 4),
    "cursors of loaders, each rank's own": (_cursors, 2),
    "match with guarded cases": (_matches, 4),
    "loops of depth five": (_loops, 1),
}
"""What is repeated, and how often at first."""


def program(shape: str, factor: int) -> str:
    """The text of a program of a shape, ``factor`` times its first size."""
    make, count = SHAPES[shape]
    return _HEAD + make(count * factor)


def measure(shape: str) -> tuple[str, ...]:
    """One row: the cost per line at the first size, and as a multiple of that at 2, 4 and 8 times the size."""
    judge = Judge(load_rules(), Settings())
    _check(program(shape, 1), judge)  # imports and knowledge tables are start-up
    costs: dict[int, list[float]] = {factor: [] for factor in (1, 2, 4, 8)}
    for _ in range(_ROUNDS):
        for factor, seconds in costs.items():
            text = program(shape, factor)
            seconds.append(1e6 * cpu(lambda text=text: _check(text, judge))[0] / text.count("\n"))
    once = median(costs[1])
    times = [f"{median(costs[factor]) / once:.2f}" for factor in (2, 4, 8)]
    return (shape, str(SHAPES[shape][1]), str(program(shape, 1).count("\n")), f"{once:.0f}", *times)


def _check(text: str, judge: Judge) -> None:
    with TemporaryDirectory() as alone:  # where no other file could call it
        report = Checker(Settings(), judge).run([SourceFile(f"{alone}/program.py", text.encode())])
    for problem in report.errors:
        raise RuntimeError(f"the check of a program failed: {problem.message}")
    for limit in report.limits:
        raise RuntimeError(f"what is cut short is quick for the wrong reason: {limit.text}")

"""The figures that are aimed at, in one sitting: whole public trees, peers, one edited file, growth.

``benchmarks/run --figures [--mirror DIR] [--tools BIN] [--small]``; the README of this folder says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from benchmarks import growth, public
from benchmarks.compare import Cost
from benchmarks.public import Run
from benchmarks.trees import library

__all__ = ["HEADINGS", "measure"]

HEADINGS = ("work", "measured", "aim")
_NOT_RUN = "not run"


def measure(mirror: Path | None, tools: Path | None, small: bool, count: int) -> Iterator[tuple[str, ...]]:
    """The rows, each as soon as it is known. ``small``: the typical trees and two shapes of growth only.

    Parameters: ``count``, how many files are edited.
    """
    runs: dict[str, Run] = {}
    seconds: list[float] = []
    for name in public.TYPICAL if small else public.ALL:
        with public.laid_out(mirror, name) as top:
            if top is None:
                continue
            run = public.checked(top)
            if run is None:
                yield (name, "the check failed", "")
                continue
            runs[name] = run
            if name in public.TYPICAL:
                yield from _beside(name, run, top, tools)
                seconds += public.edits(top, -(-count // len(public.TYPICAL)))
            if name in public.LARGE:
                yield _large(name, run, top)
    yield from _together(runs)
    yield _edited(seconds)
    if not small:
        yield _huge(mirror)
        yield _detectron(mirror, tools)
        yield _trainer()
    yield _growth(small)


def _beside(name: str, run: Run, top: Path, tools: Path | None) -> Iterator[tuple[str, ...]]:
    """A typical tree: against TorchFix, and against the parse of its relevant files."""
    short = name.partition("@")[0].rpartition("/")[2]
    yield (f"{short} against TorchFix", _faster(run, public.torchfix_cost(top, tools)), "15 ×")
    parse = public.parse_cost(top)
    ratio = f"{run.cost.seconds / parse.seconds:.1f} ×" if parse is not None else _NOT_RUN
    yield (f"{short}: check against LibCST parsing its relevant files", ratio, "3 ×")


def _large(name: str, run: Run, top: Path) -> tuple[str, ...]:
    """A tree with a large main program, against the parse of all its files."""
    parse = public.parse_cost(top, "all")
    ratio = f"{run.cost.seconds / parse.seconds:.1f} ×" if parse is not None else _NOT_RUN
    short = name.partition("@")[0].rpartition("/")[2]
    return (f"{short}: check against LibCST parsing all its files", ratio, public.LARGE[name])


def _huge(mirror: Path | None) -> tuple[str, ...]:
    name = public.HUGE.partition("@")[0].rpartition("/")[2]
    with public.laid_out(mirror, public.HUGE) as top:
        run = public.checked(top) if top is not None else None
    said = f"{run.cost.seconds:.0f} s, {run.cost.memory:.0f} MiB; {run.cut} files cut" if run is not None else _NOT_RUN
    return (f"whole {name}", said, "100 s, 250 MiB")


def _faster(run: Run, other: Cost | None) -> str:
    if other is None:
        return _NOT_RUN
    ratio = other.seconds / run.cost.seconds
    return f"{ratio:.1f} × faster ({run.cost.seconds:.1f} s for {other.seconds:.1f} s)"


def _together(runs: dict[str, Run]) -> Iterator[tuple[str, ...]]:
    """All trees: what they cost together, the worst of them, and how often a walk was cut short."""
    if not runs:
        yield ("whole public trees", _NOT_RUN, "80 s")
        return
    seconds = sum(run.cost.seconds for run in runs.values())
    slowest = max(runs, key=lambda name: runs[name].cost.seconds)
    memory = max(run.cost.memory for run in runs.values())
    files, cut = sum(run.files for run in runs.values()), sum(run.cut for run in runs.values())
    yield (f"{len(runs)} whole public trees, one process each", f"{seconds:.0f} s", "80 s (18 trees)")
    worst = f"{slowest.partition('@')[0]}, {runs[slowest].cost.seconds:.1f} s; most memory {memory:.0f} MiB"
    yield ("the worst of them", worst, "12 s, 250 MiB")
    yield ("files walked in part, or whose comparison stopped", f"{cut} of {files}", "1 in 100")


def _edited(seconds: list[float]) -> tuple[str, ...]:
    work = f"one edited file, the rest cached: median, 95th percentile of {len(seconds)}"
    if len(seconds) < 2:
        return (work, _NOT_RUN, "0.5 s, 1.5 s")
    return (work, f"{median(seconds):.2f} s, {quantiles(seconds, n=20)[-1]:.2f} s", "0.5 s, 1.5 s")


def _detectron(mirror: Path | None, tools: Path | None) -> tuple[str, ...]:
    with public.laid_out(mirror, "facebookresearch/detectron2") as top:
        run = public.checked(top) if top is not None else None
        found = _faster(run, public.torchfix_cost(top, tools)) if top is not None and run is not None else _NOT_RUN
    return ("whole detectron2 against TorchFix, both cold", found, "8 ×")


def _trainer() -> tuple[str, ...]:
    tree = library("transformers")
    path = (
        next((path for path in tree.paths if path.parts[-2:] == ("transformers", "trainer.py")), None) if tree else None
    )
    run = public.checked(path.parent.parent, "transformers/trainer.py") if path is not None else None
    return ("transformers' trainer.py, cold", f"{run.cost.seconds:.1f} s" if run is not None else _NOT_RUN, "5 s")


def _growth(small: bool) -> tuple[str, ...]:
    shapes = list(growth.SHAPES)[-2:] if small else list(growth.SHAPES)
    worst = max((growth.measure(shape) for shape in shapes), key=lambda row: float(row[-1]))
    return (f"cost per line at 8 × the size, {len(shapes)} shapes: the worst", f"{worst[-1]} ({worst[0]})", "1.1")

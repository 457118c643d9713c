"""What other checks of the same files cost: TorchFix, Fixit, flake8-async, pylint, semgrep, ruff, and parsing alone.

``benchmarks/run --compare --tools BIN --tree DIR``. The tools are not installed by this project: ``BIN`` is the folder
of their executables. One that is not there, or that fails, is said to be "not run".
"""

from __future__ import annotations

import compileall
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.trees import ROOT, Tree

__all__ = ["HEADINGS", "PARSE", "Cost", "compare", "cost"]

HEADINGS = ("check", "CPU", "÷ ddplint, cold", "÷ ddplint, cached", "memory")
_SEED = 0
PARSE = """
import sys, libcst
from pathlib import Path
from ddplint.project.discovery import relevant
from ddplint.knowledge import load_knowledge
words = load_knowledge().prefilter() if sys.argv[1] == "relevant" else None
for path in sys.argv[2:]:
    data = Path(path).read_bytes()
    if words is None or relevant(data, words):
        try:
            libcst.parse_module(data)
        except Exception:
            pass
"""


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a command and its children, and the most memory that one of its processes had, in MiB."""

    seconds: float
    memory: float


def compare(tree: Tree, top: Path, tools: Path | None, count: int, limit: float) -> list[tuple[str, ...]]:
    """A row per check, all on the same ``count`` files of ``tree`` (0: all), drawn once.

    Parameters: ``top``, the tree's folder, where commands run; ``limit``, seconds after which a command is given up.
    """
    paths = sorted(path for path in tree.paths if path.is_file())
    if count and len(paths) > count:
        paths = sorted(random.Random(_SEED).sample(paths, count))
    names = [path.relative_to(top).as_posix() for path in paths]
    for folder in ("ddplint", "rules"):
        compileall.compile_dir(ROOT / folder, quiet=1)
    with tempfile.TemporaryDirectory() as cache:
        ours = [sys.executable, "-m", "ddplint", "--exit-zero", "--jobs", "1"]
        kept = [*ours, "--cache-dir", cache, *names]
        costs = {"ddplint, cold": cost(kept, top, limit), "ddplint, cached": cost(kept, top, limit)}
    for name, command in _others(tools, names):
        costs[name] = cost(command, top, limit) if command else None
    return [_row(name, cost, costs) for name, cost in costs.items()]


def _others(tools: Path | None, names: Sequence[str]) -> list[tuple[str, list[str]]]:
    def tool(program: str, *arguments: str) -> list[str]:
        path = tools / program if tools else None
        return [str(path), *arguments, *names] if path is not None and path.exists() else []

    parse = [sys.executable, "-c", PARSE]
    rules = str(ROOT / "benchmarks" / "rank_guard.yaml")
    return [
        ("LibCST parses the relevant ones", [*parse, "relevant", *names]),
        ("LibCST parses all", [*parse, "all", *names]),
        ("TorchFix", tool("torchfix", "--select=ALL")),
        ("Fixit", tool("fixit", "lint")),
        ("flake8-async", tool("flake8", "--select=ASYNC", "--jobs=1")),
        ("pylint", tool("pylint", "--jobs=1", "--exit-zero")),
        ("semgrep, rank guards", tool("semgrep", "scan", "--config", rules, *_QUIET)),
        ("ruff, all rules", tool("ruff", "check", "--no-cache", "--exit-zero", "--quiet", "--select=ALL")),
        ("ruff, its default", tool("ruff", "check", "--no-cache", "--exit-zero", "--quiet")),
    ]


_QUIET = ("--metrics=off", "--disable-version-check", "--jobs=1", "--quiet")


def cost(command: Sequence[str], top: Path, limit: float) -> Cost | None:
    """What a command cost; ``None`` where it cannot be started, breaks down or takes too long."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "rules"), str(ROOT)])}
    for name in ("DDPLINT_NO_CACHE", "PYTHONDONTWRITEBYTECODE"):
        env.pop(name, None)
    try:
        child = subprocess.Popen(
            command, cwd=top, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=_bounded(limit)
        )
    except OSError:
        return None
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        return None
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _bounded(limit: float) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))


def _row(name: str, cost: Cost | None, costs: dict[str, Cost | None]) -> tuple[str, ...]:
    if cost is None:
        return (name, "not run", "", "", "")
    ratios = []
    for own in ("ddplint, cold", "ddplint, cached"):
        mine = costs[own]
        ratios.append(f"{cost.seconds / mine.seconds:.2f}" if mine is not None else "?")
    return (name, f"{cost.seconds:.1f} s", *ratios, f"{cost.memory:.0f} MiB")

"""One edited file: what a check of it costs while the rest of its repository is as the cache knows it.

``benchmarks/run --edited FILE``. A comment is put at the end of the file before each run, and taken away at the end.
"""

from __future__ import annotations

import compileall
import sys
from pathlib import Path
from statistics import median

from benchmarks.compare import Cost, cost
from benchmarks.trees import ROOT

__all__ = ["HEADINGS", "measure"]

HEADINGS = ("file", "lines", "CPU", "import libcst", "÷ that", "memory")
_WARM, _ROUNDS = 3, 5
_LIMIT = 600.0


def measure(path: Path) -> tuple[str, ...]:
    """A row. The first runs fill the cache of the repository and are not counted.

    Raises ``RuntimeError`` where a run fails, and ``OSError`` where the file cannot be written.
    """
    for folder in ("ddplint", "rules"):
        compileall.compile_dir(ROOT / folder, quiet=1)
    top = next((folder for folder in path.parents if (folder / ".git").exists()), path.parent)
    check = ("-m", "ddplint", "--exit-zero", path.relative_to(top).as_posix())
    before = path.read_bytes()
    runs: list[tuple[Cost, Cost]] = []
    try:
        for number in range(_WARM + _ROUNDS):
            path.write_bytes(before + f"# edit {number} {len(runs)}\n".encode())
            runs.append((_run(top, *check), _run(top, "-c", "import libcst")))
    finally:
        path.write_bytes(before)
    ours, start = zip(*runs[_WARM:], strict=True)
    seconds = median(one.seconds for one in ours)
    ratio = median(one.seconds / other.seconds for one, other in runs[_WARM:])
    memory = max(one.memory for one in ours)
    import_time = median(one.seconds for one in start)
    lines = before.count(b"\n")
    return (path.name, str(lines), f"{seconds:.2f} s", f"{import_time:.2f} s", f"{ratio:.1f}", f"{memory:.0f} MiB")


def _run(top: Path, *arguments: str) -> Cost:
    found = cost([sys.executable, *arguments], top, _LIMIT)
    if found is None:
        raise RuntimeError(f"{' '.join(arguments)} failed")
    return found

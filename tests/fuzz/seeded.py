"""Other people's sources, with collectives put into their functions: no construct may crash the walk or a rule.

    python -m tests.fuzz.seeded --count 500 DIR...

Files that do not communicate are hardly walked. So a copy of each folder is made in which every function of the chosen
files begins with a barrier, some of its statements have one before them, and some of its conditions ask for the rank as
well; then ``ddplint`` checks the chosen files. Prints each crash, then the numbers: how much was seeded, how many
findings came of it, where a limit was reached, which files could not be read. The exit code is 1 where something
crashed. Slow: about a second for each file.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

BATCH = 25
LONGEST = 900
"""Seconds for one batch."""

_NAME = "dist_of_seed"
_BARRIER = f"{_NAME}.barrier()"
_ASKED = 0.15
"""The part of the conditions that ask for the rank as well."""
_AT = 0.07
"""The part of the statements before which there is a barrier."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Numbers:
    """What came out, over all files."""

    files: int = 0
    lines: int = 0
    functions: int = 0
    conditions: int = 0
    findings: int = 0
    seconds: float = 0
    limits: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)


def seeded(text: str, draw: random.Random) -> tuple[str, int, int]:
    """A source with collectives in it, and how many functions and conditions were changed. Raises ``SyntaxError``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    lines = text.encode().splitlines(keepends=True)
    edits: list[tuple[int, int, bytes]] = []  # line, column in bytes, what is put there
    functions = conditions = 0
    for function in _functions(tree):
        first = _first(function)
        if first is None:
            continue
        functions += 1
        edits.append(_before(first, lines, f"import torch.distributed as {_NAME}; {_BARRIER}"))
        for node in _inside(function):
            if isinstance(node, ast.stmt):
                if draw.random() < _AT and node.lineno > first.lineno and _begins_a_line(node, lines):
                    edits.append(_before(node, lines, _BARRIER))
            elif draw.random() < _ASKED:
                conditions += 1
                edits.append((node.lineno, node.col_offset, f"{_NAME}.get_rank() == 0 and (".encode()))
                edits.append((node.end_lineno or 0, node.end_col_offset or 0, b")"))
    for line, column, what in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:column] + what + old[column:]
    return b"".join(lines).decode(), functions, conditions


def _before(statement: ast.stmt, lines: Sequence[bytes], what: str) -> tuple[int, int, bytes]:
    line = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
    return line, 0, _indent(lines[line - 1]) + what.encode() + b"\n"


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t\f"))]


def _begins_a_line(statement: ast.stmt, lines: Sequence[bytes]) -> bool:
    line = lines[statement.lineno - 1]
    return len(_indent(line)) == statement.col_offset and not line.lstrip().startswith(b"elif")


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _first(function: Function) -> ast.stmt | None:
    """The first statement behind the docstring; none where the body stands beside the head or there is no more."""
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = next(iter(body[1:] if documented else body), None)
    before = body[0].end_lineno if documented else _end_of_head(function)
    return first if first is not None and first.lineno > (before or 0) else None


def _end_of_head(function: Function) -> int:
    parts = [function.returns, *ast.iter_child_nodes(function.args)]
    return max([function.lineno, *(getattr(part, "end_lineno", 0) or 0 for part in parts if part is not None)])


def _inside(function: Function) -> Iterator[ast.stmt | ast.expr]:
    """The statements and conditions of a function, without those of the functions and classes inside."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, (Function, ast.ClassDef, ast.Lambda, ast.Match)):
            continue
        if isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(node.test, ast.NamedExpr):
            yield node.test
            todo += [child for child in ast.iter_child_nodes(node) if child is not node.test]
        elif not isinstance(node, ast.expr):
            todo += ast.iter_child_nodes(node)


def seed(folder: Path, copy: Path, count: int, draw: random.Random, numbers: Numbers) -> list[Path]:
    """Copy a folder's Python files, seeding ``count`` of them, into a project of their own."""
    (copy / "pyproject.toml").touch()
    files = sorted(path for path in folder.rglob("*.py") if path.is_file())
    chosen, made = set(draw.sample(files, min(count, len(files)))), []
    for path in files:
        target = copy / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        if path in chosen:
            try:
                text, functions, conditions = seeded(data.decode(), draw)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                numbers.unreadable.append(f"{path}: {type(error).__name__} in Python")
            else:
                data = text.encode()
                numbers.functions += functions
                numbers.conditions += conditions
                numbers.lines += text.count("\n")
            made.append(target)
        target.write_bytes(data)
    return made


def check(folder: Path, files: Sequence[Path], numbers: Numbers) -> None:
    """Run ``ddplint`` on a batch, beside the folder: no module of Python is found in it instead. Note what came out."""
    names = [path.relative_to(folder.parent).as_posix() for path in files]
    start = time.monotonic()
    command = [sys.executable, "-m", "ddplint", "--no-cache", "--jobs=1", "--output=json", *names]
    try:
        run = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        numbers.crashes.append(f"{names}: more than {LONGEST} seconds")
        return
    numbers.seconds += time.monotonic() - start
    if "Traceback" in run.stderr or run.returncode not in (0, 1, 2):
        numbers.crashes.append(f"{names}: exit code {run.returncode}: {run.stderr[-2000:]}")
        return
    report = json.loads(run.stdout)
    numbers.files += len(names)
    numbers.findings += len(report["findings"])
    numbers.limits += [str(limit) for limit in report["limits"]]
    for problem in report["problems"]:
        crash = "internal error" in str(problem) or "gave up" in str(problem)
        (numbers.crashes if crash else numbers.unreadable).append(str(problem))


def main(arguments: Sequence[str] | None = None) -> int:
    """Seed, check and print the numbers."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.seeded", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=500, metavar="N", help="files of each folder (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which files and conditions (default: 0)")
    options = parser.parse_args(arguments)
    numbers, draw = Numbers(), random.Random(options.seed)
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, "sources")
            copy.mkdir()
            files = seed(folder, copy, options.count, draw, numbers)
            for start in range(0, len(files), BATCH):
                told = len(numbers.crashes)
                check(copy, files[start : start + BATCH], numbers)
                print(*numbers.crashes[told:], sep="\n", end="\n" if numbers.crashes[told:] else "", flush=True)
        print(f"... {folder}: {numbers.files} files, {len(numbers.crashes)} crashes", file=sys.stderr, flush=True)
    print(f"{numbers.files} files, {numbers.lines} lines, {numbers.seconds:.0f} s")
    print(f"{numbers.functions} functions and {numbers.conditions} conditions seeded, {numbers.findings} findings")
    print(f"{len(numbers.limits)} limits reached", *numbers.limits, sep="\n  ")
    print(f"{len(numbers.unreadable)} not read", *numbers.unreadable, sep="\n  ")
    print(f"{len(numbers.crashes)} crashes")
    return int(bool(numbers.crashes))


if __name__ == "__main__":
    sys.exit(main())

"""A fault that somebody could have written, put into a real training file, and the same put right by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

FAULT = ("import torch.distributed as new_dist", "if new_dist.get_rank() == 0:", "    new_dist.barrier()")
BY_HAND = (FAULT[0], "new_dist.barrier()")
WORDS = ("init_process_group", "DistributedDataParallel", "Accelerator(", "deepspeed", "get_rank", "is_main_process")


def spot(tree: Path) -> tuple[str, int, str] | None:
    """Behind a backward pass in the file that speaks most of ranks: its path, the line before, the indentation."""
    best = max(candidates(tree), key=lambda one: (one[0], one[1]), default=None)
    return best[1:] if best else None


def candidates(tree: Path) -> Iterator[tuple[int, str, int, str]]:
    """Each file with a call of ``backward`` as a statement: how well it fits, path, line, indentation."""
    for path in sorted(tree.rglob("*.py")):
        name, text = path.relative_to(tree).as_posix(), path.read_text("utf-8", "replace")
        if "backward(" in text and "test" not in name.lower():
            yield from ((sum(word in text for word in WORDS), name, *at) for at in backward_passes(text))


def backward_passes(text: str) -> list[tuple[int, str]]:
    """The first of a file: the line it ends on, and its indentation."""
    lines = text.split("\n")
    try:
        calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Expr)]
    except (SyntaxError, ValueError):
        return []
    ends = [
        (one.end_lineno or one.lineno, lines[one.lineno - 1][: one.col_offset])
        for one in calls
        if isinstance(one.value, ast.Call) and getattr(one.value.func, "attr", "") == "backward"
    ]
    return sorted(ends)[:1]


def put(path: Path, line: int, indent: str) -> None:
    """The fault behind a line."""
    text = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([*text[:line], *(indent + one for one in FAULT), *text[line:]]), "utf-8")


def put_right(path: Path, line: int, indent: str) -> None:
    """What somebody would make of the fault."""
    text = path.read_text("utf-8").split("\n")
    text[line : line + len(FAULT)] = [indent + one for one in BY_HAND]
    path.write_text("\n".join(text), "utf-8")

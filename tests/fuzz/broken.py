"""Real trainers, broken on purpose: which ordinary fault in ordinary code goes unseen?

    python -m tests.fuzz.broken --count 25 DIR...

Each DIR is a project. One fault at a time is put into one of its files: a guard around a save taken away, or the return
of the other ranks before it, a collective (or a function of the project that has one) put behind a test of the rank, a
return of the other ranks before it, ``set_epoch`` or the sampler removed, a batch skipped or a loop left by the loss.
The project is checked before and after; a new finding of the right family counts. Prints each fault that was not seen,
then the numbers for each kind. What is put in need not be a fault: a helper may have no caller, a loss may be equal on
all ranks. So a fault that is not seen is a place to look at, no verdict. Files are changed in a copy. Slow: each fault
costs a check of the project, though what it does not touch is kept between checks.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST = 300
"""Seconds for one check."""
_MOST_FILES = 150

_RANK = re.compile(r"\b(?:\w*rank|is_main\w*|is_master\w*|\w*main_process\w*|is_global_zero|is_primary\w*)\b")
_PREDICATE = re.compile(
    r"(?:\w+\.)*(?:get_rank|is_main_process|is_master|is_rank_zero|is_master_process)\(\)(?: == 0)?"
    r"|(?:\w+\.)*(?:is_main_process|is_global_zero|is_master)|(?:\w+\.)*(?:rank|global_rank) == 0"
)
_COLLECTIVES = frozenset(
    "all_gather all_gather_object all_reduce barrier broadcast broadcast_object_list gather gather_for_metrics "
    "gather_object reduce wait_for_everyone".split()
)
_SAVES = frozenset("dump imwrite save save_file save_image save_pretrained savetxt savez to_csv write_text".split())
_TORCH = re.compile(r"^import torch\.distributed as (\w+)$|^from torch import (distributed)$", re.MULTILINE)
_DISTRIBUTED = re.compile(r"DistributedDataParallel|Accelerator\(|init_process_group|deepspeed|get_rank|\bDDP\(")


@dataclass(frozen=True)
class Fault:
    """A fault: its kind, the family of rules that should see it, the line, and the source that has it."""

    kind: str
    family: str
    line: int
    text: str


def faults(text: str, helpers: Container[str] = ()) -> Iterator[Fault]:
    """The faults that can be put into a source, one at a time. Raises ``SyntaxError``.

    Parameters: ``helpers``, the functions of the project in which all ranks meet, by name.
    """
    tree = _parsed(text)
    if _DISTRIBUTED.search(text) is None:
        return
    source = _Source(text, tree, helpers)
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield from _unguarded(source, node)
            yield from _all_go_on(source, node)
        elif isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call) and source.is_alone(node):
            yield from _around_call(source, node, node.value)
        elif isinstance(node, ast.keyword):
            yield from _unsharded(source, node)


def helpers_in(text: str) -> Iterator[str]:
    """The names of the functions of a source that have a collective in their own body. Raises ``SyntaxError``."""
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            own = (one for one in node.body if isinstance(one, (ast.Expr, ast.Assign)))
            if any(isinstance(one.value, ast.Call) and _is_collective(one.value) for one in own):
                yield node.name


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


class _Source:
    """A source with its lines, and what stands around each node."""

    def __init__(self, text: str, tree: ast.AST, helpers: Container[str]) -> None:
        self.text, self.lines, self.helpers = text, text.split("\n"), helpers
        self._above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, innermost first."""
        while node in self._above:
            node = self._above[node]
            yield node

    def above(self, node: ast.AST) -> ast.AST | None:
        """What a node stands in directly."""
        return self._above.get(node)

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        return ast.get_source_segment(self.text, node) or ""

    def is_alone(self, node: ast.stmt) -> bool:
        """Whether a statement has one line, and that for itself."""
        return node.lineno == node.end_lineno and self.lines[node.lineno - 1].strip().startswith(self.of(node))

    def is_guarded(self, node: ast.AST) -> bool:
        """Whether a condition around a node asks for the rank."""
        return any(isinstance(one, ast.If) and _RANK.search(self.of(one.test)) for one in self.around(node))

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """The function that a node stands in."""
        return next((one for one in self.around(node) if isinstance(one, ast.FunctionDef)), None)

    def replaced(self, node: ast.expr | ast.keyword, by: str) -> str:
        """The source with another text in place of a node of one line."""
        line = self.lines[node.lineno - 1].encode()
        new = line[: node.col_offset] + by.encode() + line[node.end_col_offset :]
        return self._with(node.lineno, [new.decode()], 1)

    def instead(self, node: ast.stmt, by: str) -> str:
        """The source with another statement in place of one of one line."""
        return self._with(node.lineno, [" " * node.col_offset + by], 1)

    def before(self, node: ast.stmt, more: str) -> str:
        """The source with a further line before a statement."""
        return self._with(node.lineno, [" " * node.col_offset + more], 0)

    def _with(self, line: int, new: list[str], count: int) -> str:
        return "\n".join([*self.lines[: line - 1], *new, *self.lines[line - 1 + count :]])


def _unguarded(source: _Source, node: ast.If) -> Iterator[Fault]:
    test = source.of(node.test)
    plain = node.test.lineno == node.test.end_lineno and not node.orelse and not re.search(r"\bnot\b|!=", test)
    if not plain or _RANK.search(test) is None or source.is_guarded(node) or source.function(node) is None:
        return
    written = {_name(call) for one in node.body if isinstance(one, (ast.Expr, ast.With)) for call in _calls(one)}
    if written & _SAVES and not _COLLECTIVES & {_name(call) for call in _calls(node)}:
        yield Fault("save guard removed", "DDP2", node.lineno, source.replaced(node.test, "True"))


def _all_go_on(source: _Source, node: ast.If) -> Iterator[Fault]:
    """The return of the other ranks removed, where what follows it saves."""
    function, last = source.function(node), node.body[0]
    alone = len(node.body) == 1 and isinstance(last, ast.Return) and last.value is None and not node.orelse
    if not alone or function is None or source.above(node) is not function or last.lineno != last.end_lineno:
        return
    behind = function.body[function.body.index(node) + 1 :]
    named = {_name(call) for one in behind for call in _calls(one)}
    if _RANK.search(source.of(node.test)) and named & _SAVES and not named & _COLLECTIVES:
        yield Fault("return before a save removed", "DDP2", node.lineno, source.instead(last, "pass"))


def _is_collective(call: ast.Call) -> bool:
    return _name(call) in _COLLECTIVES and isinstance(call.func, ast.Attribute)


def _around_call(source: _Source, node: ast.Expr | ast.Assign, call: ast.Call) -> Iterator[Fault]:
    name, function = _name(call), source.function(node)
    is_helper = name in source.helpers and not _is_collective(call)
    if (_is_collective(call) or is_helper) and function and not source.is_guarded(node):
        asked = _predicate(source, function)
        if asked is not None:
            kind = "helper guarded" if is_helper else "collective guarded"
            yield Fault(kind, "DDP1", node.lineno, source.instead(node, f"if {asked}: {source.of(node)}"))
            if source.above(node) is function:
                early = source.before(node, f"if not ({asked}): return")
                yield Fault("others return early", "DDP1", node.lineno, early)
    if name == "set_epoch":
        yield Fault("set_epoch removed", "DDP3", node.lineno, source.instead(node, "pass"))
    loss = _loss(call) if name == "backward" and _is_in_loop(source, node) else None
    if loss is not None:
        for kind, line in (
            ("NaN batch skipped", f"if {loss}.isnan().any(): continue"),
            ("loop left by the loss", f"if {loss}.item() > 100: break"),
        ):
            yield Fault(kind, "DDP1", node.lineno, source.before(node, line))


def _unsharded(source: _Source, node: ast.keyword) -> Iterator[Fault]:
    call = source.above(node)
    given = node.arg == "sampler" and not isinstance(node.value, ast.Constant) and node.lineno == node.end_lineno
    if given and isinstance(call, ast.Call) and _name(call) == "DataLoader" and "DistributedSampler" in source.text:
        yield Fault("sampler removed", "DDP3", node.lineno, source.replaced(node, "sampler=None"))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Call))


def _predicate(source: _Source, function: ast.FunctionDef) -> str | None:
    """How a function asks for rank 0, where it does so in one plain condition; else how its file can ask torch."""
    tests = (source.of(one.test) for one in ast.walk(function) if isinstance(one, ast.If))
    asked = next((test for test in tests if _PREDICATE.fullmatch(test)), None)
    return asked or next((f"{name}.get_rank() == 0" for name in _names_of_torch(source.text)), None)


def _names_of_torch(text: str) -> list[str]:
    """How a file can say ``torch.distributed``."""
    named = _TORCH.findall(text)
    return [*(alias or other for alias, other in named), *(["torch.distributed"] if "import torch\n" in text else [])]


def _loss(call: ast.Call) -> str | None:
    """The name of what ``backward`` is called on, or given: ``scaler.scale(loss).backward()``."""
    on = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(on, ast.Name) and "loss" in on.id:
        return on.id
    given = on.args if isinstance(on, ast.Call) else call.args
    return given[0].id if given and isinstance(given[0], ast.Name) else None


def _is_in_loop(source: _Source, node: ast.AST) -> bool:
    for one in source.around(node):
        if isinstance(one, (ast.For, ast.While, ast.FunctionDef)):
            return not isinstance(one, ast.FunctionDef)
    return False


def check(project: Path) -> Counter[tuple[str, str]] | None:
    """How often each rule finds something in a project, by what it says; None where it took too long."""
    command = [sys.executable, "-m", "ddplint", "--cache-dir=kept", "--jobs=1", "--output=json", project.name]
    try:
        run = subprocess.run(command, cwd=project.parent, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return None
    return Counter((str(one["code"]), str(one["message"])) for one in json.loads(run.stdout)["findings"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Break, check and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.broken", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=25, metavar="N", help="faults of each kind (default: 25)")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="of these in one project (default: 1)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which faults (default: 0)")
    options = parser.parse_args(arguments)
    draw, tried, seen = random.Random(options.seed), Counter[str](), Counter[str]()
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, folder.resolve().name)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".*"), symlinks=True)
            found = _found(copy)
            before = check(copy) if found else None
            for path, fault in _drawn(found, draw, options, tried) if before is not None else ():
                told = _is_seen(copy, before, path, fault)
                if told is not None:
                    tried[fault.kind] += 1
                    seen[fault.kind] += told
                if told is False:
                    print(f"{path.relative_to(copy.parent)}:{fault.line}: {fault.kind}", flush=True)
    for kind, count in sorted(tried.items()):
        print(f"{kind}: {seen[kind]} of {count} seen")
    return 0


def _found(project: Path) -> dict[str, list[tuple[Path, Fault]]]:
    """The faults that can be put into a project, by their kind."""
    files = sorted(project.rglob("*.py"))
    texts = dict(_texts(files)) if len(files) <= _MOST_FILES else {}
    helpers = {name for text in texts.values() for name in helpers_in(text)}
    found: dict[str, list[tuple[Path, Fault]]] = {}
    for path, text in texts.items():
        for fault in faults(text, helpers):
            found.setdefault(fault.kind, []).append((path, fault))
    return found


def _texts(files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
            _parsed(text)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        yield path, text


def _drawn(
    found: dict[str, list[tuple[Path, Fault]]], draw: random.Random, options: argparse.Namespace, tried: Counter[str]
) -> list[tuple[Path, Fault]]:
    """Some faults of each kind that is still wanted, wherever in the project."""
    wanted = {kind: min(options.each, options.count - tried[kind], len(some)) for kind, some in found.items()}
    return [one for kind, some in sorted(found.items()) for one in draw.sample(some, max(0, wanted[kind]))]


def _is_seen(project: Path, before: Counter[tuple[str, str]], path: Path, fault: Fault) -> bool | None:
    """Whether there are more findings of the right family with the fault; None where a check took too long."""
    whole = path.read_bytes()
    path.write_text(fault.text, encoding="utf-8")
    after = check(project)
    path.write_bytes(whole)
    if after is None:
        return None
    return any(code.startswith(fault.family) for code, _ in after - before)


if __name__ == "__main__":
    sys.exit(main())

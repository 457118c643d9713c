"""Fixes, safe and unsafe, on many real files, and what must hold for each of them.

    python -m tests.fixing.sweep --count 500 DIR...

Takes the Python files below the folders that mention anything distributed, one of each folder in turn, those first in
which there may be something to fix, and fixes each in memory, with the modules around it, in a process of its own.
Checked with a fresh walk, apart from the one that fixing makes itself: the result parses; what was fixed is gone, and
nothing new was found; a second run changes nothing; the line ends, the encoding and every comment are kept; and no
line outside of the edited statements has changed. Prints one line for each file that breaks one of these, then the
numbers. The exit code is 1 where something was broken. Slow: several seconds for each file.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import re
import resource
import sys
import time
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.findings.edits import AddImport
from ddplint.fixing.edit.loop import FixedFile, FixReport, fix_files
from ddplint.fixing.edit.verify import compiles, objection
from ddplint.knowledge import load_knowledge
from ddplint.project.discovery import relevant
from ddplint.rule import Finding
from ddplint.rulebook.registry import load_rules
from ddplint.source.ancestry import tree_of
from ddplint.source.file import SourceError, SourceFile
from ddplint.util.stack import on_deep_stack

FORK = multiprocessing.get_context("fork")
SETTINGS = Settings(unsafe_fixes=True, cache=False)
LONGEST = 45
"""Seconds of processor time for one file."""


@dataclass
class Numbers:
    """What came out, over all files."""

    files: int = 0
    lines: int = 0
    with_findings: int = 0
    rewritten: int = 0
    fixed: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, other: Numbers) -> None:
        """Take another count in."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


_FIXABLE = re.compile(
    rb"init_process_group|new_group|DistributedSampler|barrier\(|torch\.save|save_pretrained|makedirs|is_main_process"
    rb"|get_rank\(|local_rank|all_reduce|set_device|NCCL_|torch\.load|\.module\("
)
"""What fixable findings hang on; files with more of it come first."""


def chosen(folders: Sequence[Path], count: int) -> Iterator[Path]:
    """At most ``count`` relevant files, one of each folder in turn."""
    words = load_knowledge().prefilter()
    queues = []
    for folder in folders:
        files = {path: path.read_bytes() for path in sorted(folder.rglob("*.py")) if path.is_file()}
        mine = [path for path, data in files.items() if relevant(data, words)]
        queues.append(sorted(mine, key=lambda path: -len(set(_FIXABLE.findall(files[path])))))
    for row in zip_longest(*queues):
        for path in row:
            if path is not None:
                yield path
                count -= 1
                if not count:
                    return


def fixed_in_memory(file: SourceFile) -> tuple[list[Finding], FixReport]:
    """What is found in a file, and what fixing does about it."""
    checker = Checker(SETTINGS, live=True)
    report = checker.run([file])
    for problem in report.errors:
        raise SourceError(file.path, problem.line, problem.column, problem.message)
    done = on_deep_stack(
        lambda: fix_files(
            [file], checker.again, unsafe=True, write=False, announce=checker.replaced, dependents=checker.dependents
        )
    )
    return report.findings, done


def faults(before: list[Finding], one: FixedFile) -> Iterator[str]:
    """What does not hold for a rewritten file."""
    old, new = one.before, one.after
    if compiles(old.text) and not compiles(new.text):
        yield "the result does not parse"
        return
    after, again = fixed_in_memory(SourceFile(new.path, new.data))
    fixed = [found for found in one.fixed if _is_first(found, old)]
    if objected := objection(before, fixed, after, lenient=True):
        yield objected.reason
    if again.files:
        yield "a second run changes it again"
    yield from _changed_outside(one)
    if lost := _comments(old.text) - _comments(new.text):
        yield f"comments lost: {sorted(lost)[:3]}"
    if _ends(old.data) != _ends(new.data) or old.encoding != new.encoding:
        yield "line ends or encoding changed"


def _is_first(finding: Finding, old: SourceFile) -> bool:
    """Whether a finding was made in the file as it was, and not after a first fix."""
    return finding.place.file.data == old.data


def _changed_outside(one: FixedFile) -> Iterator[str]:
    """Lines that went, although no fix named the statements they belong to; told only for a single round of fixing."""
    if not all(_is_first(finding, one.before) for finding in one.fixed):
        return
    touched = set().union(*(_touched(finding) for finding in one.fixed))
    new = iter(one.after.text.splitlines(keepends=True))
    for number, line in enumerate(one.before.text.splitlines(keepends=True), 1):
        if number not in touched and line.strip() and line not in new:  # reads on, so the order counts
            yield f"line {number} changed or moved, which no fix named: {line.strip()[:60]}"
            return


def _touched(finding: Finding) -> set[int]:
    """The lines of the statements that a fix rewrites, and those of the imports where it adds one."""
    lines: set[int] = set()
    for edit in finding.fix.edits if finding.fix is not None else ():
        tree = tree_of(edit.file.module)
        if isinstance(edit, AddImport):
            imports = [line for line in edit.file.module.body if "import" in edit.file.module.code_for_node(line)]
            nodes = list(imports)
        else:
            nodes = [tree.statement(getattr(edit, "node", None) or edit.statement)]  # type: ignore[union-attr]
        for node in nodes:
            place = edit.file.range_of(node)
            lines |= set(range(place.start_line, place.end_line + 1))
    return lines


def _comments(text: str) -> Counter[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _ends(data: bytes) -> tuple[bool, bool, bool]:
    return b"\r\n" in data, b"\n" in data.replace(b"\r\n", b""), data.startswith(b"\xef\xbb\xbf")


def try_one(path: Path) -> Numbers:
    """Fix one file and tell what came out."""
    numbers = Numbers()
    try:
        file = SourceFile.read(str(path))
        before, done = fixed_in_memory(file)
    except SourceError as error:
        numbers.skipped.append(f"{path}: {error.message}")
        return numbers
    numbers.files += 1
    numbers.lines += len(file.lines)
    numbers.with_findings += any(finding.fix is not None for finding in before)
    numbers.dropped.update(dropped.finding.code for dropped in done.not_fixed)
    for one in done.files:
        numbers.rewritten += 1
        numbers.fixed.update(finding.code for finding in one.fixed)
        numbers.broken += [f"{path}: {fault}" for fault in faults(before, one)]
    return numbers


def try_apart(path: Path) -> Numbers:
    """The same in a process of its own, which may use :data:`LONGEST` seconds of processor time."""
    receiver, sender = FORK.Pipe(duplex=False)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 5))
        sender.send(try_one(path))

    process = FORK.Process(target=work)
    process.start()
    sender.close()
    try:
        return receiver.recv()  # type: ignore[no-any-return]
    except EOFError:
        return Numbers(skipped=[f"{path}: more than {LONGEST} seconds, or a crash"])
    finally:
        receiver.close()
        process.join()


def sweep(folders: Sequence[Path], count: int, seconds: float) -> Numbers:
    """Fix ``count`` files, or as many as ``seconds`` allow; those that cannot be read or take too long count apart."""
    numbers, end = Numbers(), time.monotonic() + seconds
    load_rules()
    for place, path in enumerate(chosen(folders, count), 1):
        if time.monotonic() > end:
            break
        one = try_apart(path)
        print("\n".join(one.broken), end="\n" if one.broken else "", flush=True)
        numbers.add(one)
        if place % 10 == 0:
            print(f"... {place} files, {numbers.fixed.total()} fixes", file=sys.stderr, flush=True)
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sweep and print its numbers."""
    parser = argparse.ArgumentParser(prog="python -m tests.fixing.sweep", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=500, metavar="N", help="files to take (default: 500)")
    parser.add_argument("--seconds", type=float, default=36000, metavar="S", help="take no new file after this time")
    options = parser.parse_args(arguments)
    numbers = sweep(options.folders, options.count, options.seconds)
    print(f"{numbers.files} files, {numbers.lines} lines; {numbers.with_findings} with findings that have a fix")
    print(f"{numbers.rewritten} files rewritten, {numbers.fixed.total()} findings fixed: {_told(numbers.fixed)}")
    print(f"{numbers.dropped.total()} fixes dropped by verification: {_told(numbers.dropped)}")
    print(f"{len(numbers.skipped)} files skipped", *numbers.skipped, sep="\n  ")
    print(f"{len(numbers.broken)} broken")
    return int(bool(numbers.broken))


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())

"""``--insert NAME``: put in what somebody asked for, walk the program again, and say what was done."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ddplint.cli.fix import print_diff, print_source
from ddplint.cli.output import report_problems
from ddplint.config.settings import Settings, SettingsError, suggestion
from ddplint.engine.checker import Checker
from ddplint.engine.inputs import is_launch
from ddplint.engine.judging.selection import Judge, unique
from ddplint.findings.model import Finding
from ddplint.findings.results import Problem
from ddplint.fixing.edit.diff import line_opcodes
from ddplint.fixing.edit.loop import FixReport, fix_files
from ddplint.report.summary import count
from ddplint.rule import Codemod
from ddplint.rulebook.registry import RuleBook, load_codemods, load_rules
from ddplint.source.file import SourceFile
from ddplint.util.stack import on_deep_stack


def run(
    paths: Sequence[str], settings: Settings, names: Sequence[str], *, stdin: SourceFile | None, write: bool
) -> int:
    """Run the codemods ``names`` over ``paths``; the exit code is 1 where a place was left out, 2 for errors, else 0.

    Parameters: ``write``, whether files are rewritten; otherwise the changes are printed as a diff. What came from
    standard input goes to standard output. Raises :class:`SettingsError` for a name that no codemod has.
    """
    settings = replace(settings, fix_advice=True)  # somebody asks for it by name
    checker = Checker(settings, Judge(_book(names), settings), live=True)
    report = checker.check(paths, stdin)
    wanted = frozenset(names)

    def check(file: SourceFile) -> list[Finding]:
        return [one if one.code in wanted else _known_by_its_handler(one) for one in checker.again(file)]

    files = [file for file in report.walked if not is_launch(file)]
    on_disk = write and stdin is None
    done = on_deep_stack(
        lambda: fix_files(
            files, check, write=on_disk, announce=checker.replaced, dependents=checker.dependents, max_rounds=1000
        )
    )
    report.problems += [Problem(error.message, error.path) for error in done.errors]
    if not write:
        print_diff(done)
    elif stdin is not None:
        print_source(stdin, done)
    left = _tell(done, wanted, write=write)
    for line in _why_nothing(names, len(report.files)) if not done.fixed and not left else ():
        print(line, file=sys.stderr)
    report_problems(report)
    return 2 if report.errors else int(left > 0)


def _book(names: Sequence[str]) -> RuleBook:
    """The rules, which must find nothing new, and the codemods that were asked for."""
    known, rules = load_codemods(), load_rules()
    for name in names:
        if known.find(name) is None:
            keys = [rule.name for rule in known.rules]
            hint = suggestion(name, keys) or f" (there are: {', '.join(keys)})"
            raise SettingsError(f"error: --insert: unknown name '{name}'{hint}")
    chosen = tuple(rule for rule in known.rules if rule.name in names)
    return RuleBook((*rules.rules, *chosen), (*rules.errors, *known.errors))


def _why_nothing(names: Sequence[str], files: int) -> Iterator[str]:
    """What was looked for."""
    for rule in load_codemods().rules:
        if rule.name in names and isinstance(rule, Codemod):
            text = f"no place for it in {count(files, 'file')}, or it is there already: it goes {rule.seeks}"
            yield f"{rule.name}: {text} (ddplint rule {rule.name})"


def _known_by_its_handler(finding: Finding) -> Finding:
    """A finding of a rule, without its fix.

    What a caught exception makes one rank miss is the same defect whichever collective of the ``try`` comes first.
    """
    import libcst as cst

    guards = [note.place for note in finding.notes if note.role == "guard"]
    handler = next((place for place in guards if isinstance(place.node, cst.ExceptHandler)), None)
    return replace(finding, fix=None, place=handler or finding.place)


def _tell(done: FixReport, wanted: frozenset[str], *, write: bool) -> int:
    """Say what was inserted and what was not, and return the number of places left out."""
    yes, no = ("inserted", "not inserted") if write else ("would be inserted", "would not be inserted")
    refused = {id(one.finding): one.reason for one in done.not_fixed}
    before = {file.before.real_path: file.before for file in done.files}
    left = unique(one for one in done.remaining if one.code in wanted)
    for finding in sorted(done.fixed, key=lambda one: _place(one, before)):
        print(
            f"{':'.join(map(str, _place(finding, before)))}: {finding.name} {yes}: {finding.message}", file=sys.stderr
        )
    for finding in left:
        why = refused.get(id(finding)) or finding.no_fix
        print(f"{':'.join(map(str, _place(finding, before)))}: {finding.name} {no}: {why}", file=sys.stderr)
    told = (
        f"{count(len(done.fixed), 'place')} {yes} in {count(len(done.files), 'file')}"
        if done.fixed
        else f"Nothing {yes}"
    )
    print(f"{told}; {count(len(left), 'place')} left out." if left else f"{told}.", file=sys.stderr)
    return len(left)


def _place(finding: Finding, before: Mapping[Path, SourceFile]) -> tuple[str, int]:
    """The path and line of a finding, as the file was before anything was inserted."""
    file, line = finding.place.file, finding.place.range.start_line
    original = before.get(file.real_path, file)
    for tag, start, end, there, _ in line_opcodes(file.lines, original.lines):
        if tag == "equal" and start < line <= end:
            return file.path, there + line - start
    return file.path, line

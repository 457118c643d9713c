"""The commands other than the check itself: ``rules``, ``rule``, ``report``, ``schema``, ``server``, ``clean``.

``triage`` and ``doctor`` have packages of their own.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ddplint.cli.usage import COMMANDS
from ddplint.util.optionparser import Parser

if TYPE_CHECKING:
    from ddplint.rule import Rule


def command(arguments: Sequence[str]) -> int:
    """Carry out a command line that begins with a command, and return the exit code."""
    name, rest = arguments[0], list(arguments[1:])
    if name == "triage":
        from ddplint.job.triage.command import command as triage

        return triage(rest)
    if name == "doctor":
        from ddplint.job.doctor import command as doctor

        return doctor.command(rest)
    return _OWN[name](rest)


def _parser(name: str) -> Parser:
    return Parser(prog=f"ddplint {name}", description=f"{COMMANDS[name].capitalize()}.", allow_abbrev=False)


def _rule(arguments: Sequence[str]) -> int:
    """``rule CODE``: its page; of a group of rules, or of none in particular, the list."""
    parser = _parser("rule")
    parser.add_argument("rule", nargs="?", help="a code (DDP101), a name (guarded-collective), or a group (DDP1)")
    key = parser.parse_args(arguments).rule
    if key is None:
        return _rules([])
    from ddplint.rulebook.pages import page
    from ddplint.rulebook.registry import load_codemods, load_rules
    from ddplint.util.spelling import rule_hint

    book = load_rules()
    rule = book.find(key) or load_codemods().find(key)
    if rule is None and any(one.code.startswith(key.upper()) for one in book.rules):
        return _rules([key])
    if rule is None:
        known = [*book.keys(), *load_codemods().keys()]
        print(f"error: unknown rule '{key}'{rule_hint(key, known)}", file=sys.stderr)
        return 2
    sys.stdout.write(page(rule))
    return _trouble(book.errors)


def _rules(arguments: Sequence[str]) -> int:
    """``rules``: one line for each, or JSON."""
    parser = _parser("rules")
    parser.add_argument("rules", nargs="*", metavar="RULE", help="only these: codes, groups (DDP1), names")
    parser.add_argument("--fixable", action="store_true", help="only those with an automatic fix")
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    options = parser.parse_args(arguments)
    from ddplint.rulebook.pages import fixes_of, record
    from ddplint.rulebook.registry import load_rules, matching

    book = load_rules()
    wanted = {rule.code for word in options.rules for rule in matching(book, word)} or {one.code for one in book.rules}
    rules = [rule for rule in book.rules if rule.code in wanted and (fixes_of(rule) or not options.fixable)]
    if options.output_format == "json":
        print(json.dumps([record(rule) for rule in rules], indent=2))
    else:
        print("\n".join(_rows(rules)))
    return _trouble(book.errors)


def _rows(rules: Sequence[Rule]) -> list[str]:
    """Code, name, severity, kind of fix and the begin of what it does, within the width of the terminal."""
    from ddplint.rulebook.pages import fixes_of, summary_of

    rows = [(rule.code, rule.name, rule.severity.value, fixes_of(rule) or "-") for rule in rules]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    room = shutil.get_terminal_size((120, 24)).columns - sum(widths) - 8 if sys.stdout.isatty() else 10_000
    lines = []
    for row, rule in zip(rows, rules):
        text = _short(summary_of(rule))
        shown = text if len(text) <= room else text[: max(room - 1, 20)].rstrip() + "…"
        lines.append("  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths)), shown]).rstrip())
    return lines


def _short(sentence: str) -> str:
    """The sentence up to its first colon, without ``Finds``."""
    head = sentence.removeprefix("Finds ").partition(": ")[0].rstrip(".")
    return head[:1].upper() + head[1:]


def _schema(arguments: Sequence[str]) -> int:
    _parser("schema").parse_args(arguments)
    from ddplint.config.schema import schema_text

    sys.stdout.write(schema_text())
    return 0


def _server(arguments: Sequence[str]) -> int:
    parser = _parser("server")
    parser.add_argument("--verbose", action="store_true", help="show where an internal error happens")
    parser.add_argument("--stdio", action="store_true", help="use standard input and output, as always")
    parser.parse_args(arguments)
    from ddplint.server import run

    return run()


def _clean(arguments: Sequence[str]) -> int:
    """``clean``: delete what :mod:`ddplint.engine.cache` and :mod:`ddplint.cli.replay` keep."""
    parser = _parser("clean")
    parser.add_argument("--config", metavar="FILE", help="use this pyproject.toml or ddplint.toml")
    options = parser.parse_args(arguments)
    from ddplint.config.settings import load_settings
    from ddplint.engine.cache import remove_caches
    from ddplint.util.paths import top_folder

    for folder in remove_caches(load_settings(["."], options.config), top_folder()):
        print(f"removed {folder}")
    return 0


def _report(arguments: Sequence[str]) -> int:
    """``report FILE…``: one page of the JSON reports of many runs."""
    parser = _parser("report")
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON reports, as --output json=FILE writes them")
    parser.add_argument("--output-format", choices=("html", "markdown"), default="html", help="default: html")
    parser.add_argument("--output", metavar="FILE", help="write the page to this file instead of printing it")
    options = parser.parse_args(arguments)
    from ddplint.report.rollout import formats, progress, reading

    read, errors = [], []
    for file in options.files:
        try:
            read.append(reading.read_report(file))
        except reading.ReportError as error:
            errors.append(str(error))
    render = formats.render_html if options.output_format == "html" else formats.render_markdown
    if read:
        _page(render(progress.repositories(read)), options.output)
    print("\n".join(errors), end="\n" * bool(errors), file=sys.stderr)
    return 2 if errors else 0


def _page(text: str, target: str | None) -> None:
    if target is None:
        sys.stdout.write(text)
        return
    from pathlib import Path

    from ddplint.cli.output import write_text

    write_text(Path(target), text, f"--output {target}")


def _trouble(errors: Sequence[str]) -> int:
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 2 if errors else 0


_OWN: Mapping[str, Callable[[Sequence[str]], int]] = {
    "rule": _rule,
    "rules": _rules,
    "report": _report,
    "schema": _schema,
    "server": _server,
    "clean": _clean,
}

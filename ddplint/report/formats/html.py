"""One page that needs nothing else: what the run came to, then every root cause with its code, lanes and fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ddplint.config.levels import Severity
from ddplint.findings.model import Finding, Harm
from ddplint.findings.results import Report
from ddplint.report.context import Context
from ddplint.report.overview import losses
from ddplint.report.page.cards import card
from ddplint.report.page.markup import rendered
from ddplint.report.page.sheet import sheet
from ddplint.report.page.snippets import plain
from ddplint.report.revision import revision_of
from ddplint.report.roots import Root, roots_of
from ddplint.report.summary import count, summary

_MOST_ROWS = 8
"""Rules in the table before the rest is folded."""


def render(report: Report, context: Context) -> str:
    """The page."""
    roots = roots_of(report.findings)
    body = "\n".join(
        [
            *_head(report, context),
            *_tiles(report, roots),
            *_rules(report, roots),
            *_filters(report),
            '<main id="findings" tabindex="-1" aria-label="Findings">',
            '<div id="list">',
            *_cards(roots),
            "</div>",
            *_problems(report),
            *_pages(report),
            "</main>",
        ]
    )
    return sheet("ddplint report", body, script=True)


def _head(report: Report, context: Context) -> Iterator[str]:
    revision = revision_of(context.top)
    facts = [("Repository", context.top.name), ("Revision", revision), ("Command", context.command)]
    facts += [("Date", f"{context.moment:%Y-%m-%d %H:%M} UTC"), ("Checked", count(len(report.checked), "file"))]
    rows = "".join(f"<div><dt>{name}</dt><dd>{plain(value)}</dd></div>" for name, value in facts if value)
    yield f"<header><h1>Distributed training report</h1>\n<dl class='facts'>{rows}</dl>"
    yield f"<p>{plain(summary(report, verbose=True))}</p></header>"


def _tiles(report: Report, roots: Sequence[Root]) -> Iterator[str]:
    found = Counter(one.severity for one in report.findings)
    grave = [one for one in report.findings if one.severity is not Severity.ADVICE]
    hangs = sum(one.harm is Harm.HANG for one in grave)
    fixes = sum(one.fix is not None for one in report.findings)
    tiles = [
        ("error", found[Severity.ERROR], _many(found[Severity.ERROR], "error")),
        ("warning", found[Severity.WARNING], _many(found[Severity.WARNING], "warning")),
        ("advice", found[Severity.ADVICE], "advice"),
        ("error", hangs, "can hang the job"),
        ("error", len(losses(report.findings)), "may have lost or wrong data"),
        ("fix", fixes, "with an automatic fix"),
        ("", len(roots), _many(len(roots), "root cause")),
    ]
    drawn = "".join(
        f'<li class="{kind if number else "none"}"><b>{number}</b><span>{text}</span></li>'
        for kind, number, text in tiles
    )
    yield f'<ul class="tiles" aria-label="Summary">{drawn}</ul>'


def _many(number: int, noun: str) -> str:
    return count(number, noun).partition(" ")[2]


def _rules(report: Report, roots: Sequence[Root]) -> Iterator[str]:
    """A row for each rule, and one for each file; each filters the list."""
    if not report.findings:
        return
    by_code: dict[str, list[Finding]] = {}
    for root in roots:
        for one in root.findings:
            by_code.setdefault(one.code, []).append(one)
    rows = [_rule_row(code, mine) for code, mine in sorted(by_code.items(), key=lambda item: _weight(item[1]))]
    head = '<th scope="col">Rule</th><th scope="col">Worst</th><th scope="col" class="count">Findings</th>'
    head += '<th scope="col" class="count">Files</th><th scope="col" class="count optional">Fixes</th>'
    first, more = rows[:_MOST_ROWS], rows[_MOST_ROWS:]
    yield f'<h2>By rule</h2><table class="dense"><tr>{head}</tr>{"".join(first)}</table>'
    if more:
        rest = f'<table class="dense"><tr>{head}</tr>{"".join(more)}</table>'
        yield f"<details><summary>{count(len(more), 'further rule')}</summary>{rest}</details>"
    files = Counter(one.place.file.path for one in report.findings)
    of_files = "".join(
        f'<tr><td><button type="button" data-show="file={plain(path)}">{plain(path)}</button></td>'
        f'<td class="count">{number}</td></tr>'
        for path, number in files.most_common()
    )
    head = '<th scope="col">File</th><th scope="col" class="count">Findings</th>'
    table = f'<table class="dense"><tr>{head}</tr>{of_files}</table>'
    yield f"<details><summary>By file ({len(files)})</summary>{table}</details>"


def _weight(findings: Sequence[Finding]) -> tuple[int, int, str]:
    """The rules with the worst findings first, of those the ones that found most."""
    order = list(Severity)
    return min(order.index(one.severity) for one in findings), -len(findings), findings[0].code


def _rule_row(code: str, findings: Sequence[Finding]) -> str:
    worst = findings[0].severity.value
    files = len({one.place.file.path for one in findings})
    fixes = sum(one.fix is not None for one in findings)
    code, name = plain(code), plain(findings[0].name)
    return (
        f'<tr><td><button type="button" data-show="rule={code}">{code}</button> {name}</td>'
        f'<td><span class="badge {worst}">{worst}</span></td><td class="count">{len(findings)}</td>'
        f'<td class="count">{files}</td><td class="count optional">{fixes}</td></tr>'
    )


def _filters(report: Report) -> Iterator[str]:
    codes = sorted({(one.code, f"{one.code} {one.name}") for one in report.findings})
    paths = sorted({(one.place.file.path,) * 2 for one in report.findings})
    severities = [(one.value, one.value) for one in Severity]
    orders = [("worst", "worst first"), ("file", "by file"), ("rule", "by rule")]
    yield '<h2>Findings</h2>\n<form class="filters" aria-label="Filter and sort">'
    yield f'<label for="severity">Severity {_select("severity", "all", severities)}</label>'
    yield f'<label for="rule">Rule {_select("rule", "all", codes)}</label>'
    yield f'<label for="file">File {_select("file", "all", paths)}</label>'
    yield '<label for="search">Search <input id="search" type="search" autocomplete="off"></label>'
    yield f'<label for="sort">Order {_select("sort", "", orders)}</label>'
    yield '<button type="reset">Show all</button>\n<span id="count" role="status" aria-live="polite"></span>\n</form>'


def _select(name: str, everything: str, pairs: Iterable[tuple[str, str]]) -> str:
    first = f'<option value="">{everything}</option>' if everything else ""
    rest = "".join(f'<option value="{plain(value)}">{plain(shown)}</option>' for value, shown in pairs)
    return f'<select id="{name}">{first}{rest}</select>'


def _cards(roots: Sequence[Root]) -> Iterator[str]:
    by_file = sorted(roots, key=lambda root: (root.lead.place.file.path, root.lead.place.range.start_line))
    by_rule = sorted(roots, key=lambda root: root.lead.code)
    files, rules = ({id(root): place for place, root in enumerate(order)} for order in (by_file, by_rule))
    for number, root in enumerate(roots):
        yield card(root, number, files[id(root)], rules[id(root)])


def _problems(report: Report) -> Iterator[str]:
    if report.problems:
        rows = "".join(f"<li>{plain(str(problem))}</li>" for problem in report.problems)
        yield f"<section><h2>Problems</h2><ul>{rows}</ul></section>"
    if report.limits:
        rows = "".join(f"<li>{plain(f'{one.path}, {one.entry}: {one.text}')}</li>" for one in report.limits)
        yield f"<details><summary>Walked in part ({len(report.limits)})</summary><ul>{rows}</ul></details>"


def _pages(report: Report) -> Iterator[str]:
    """The pages of the rules that found something."""
    from ddplint.rulebook.pages import page
    from ddplint.rulebook.registry import load_rules

    book = load_rules()
    codes = sorted({one.code for one in report.findings})
    rules = [rule for code in codes if (rule := book.find(code)) is not None]
    if rules:
        yield '<section aria-labelledby="rules"><h2 id="rules">The rules</h2>'
    for rule in rules:
        _, _, text = page(rule).partition("\n")
        code, title = plain(rule.code), plain(f"{rule.code} {rule.name}")
        yield f'<details class="rulepage" id="rule-{code}"><summary>{title}</summary>'
        yield f"{rendered(text, level=4)}</details>"
    if rules:
        yield "</section>"

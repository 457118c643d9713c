"""One page that needs nothing else: the findings with their code, and for each a picture of what every rank does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from ddplint.report.concise import cell_text
from ddplint.report.context import Context
from ddplint.report.full import bare_remark, group_name
from ddplint.report.lanes import picture
from ddplint.report.summary import summary
from ddplint.results import Report
from ddplint.rule import Finding, Note, Place, RankAction, Safety, Severity
from ddplint.version import __version__

__all__ = ["render"]

_AROUND = 2
"""Lines of code shown above and below those that matter."""


def render(report: Report, context: Context) -> str:
    """The page."""
    page = files("ddplint.report").joinpath("page.html").read_text("utf-8")
    problems = [f"<li>{_text(str(problem))}</li>" for problem in report.problems]
    parts = {
        "SUMMARY": _text(summary(report, verbose=True)),
        "RULES": _options(sorted({(one.code, f"{one.code} {one.name}") for one in report.findings})),
        "FILES": _options(sorted({(one.place.file.path,) * 2 for one in report.findings})),
        "PROBLEMS": f"<h2>Problems</h2>\n<ul>{''.join(problems)}</ul>" if problems else "",
        "FINDINGS": "\n".join(_finding(one, number) for number, one in enumerate(report.findings)),
        "PAGES": json.dumps(_pages(report)).replace("<", "\\u003c"),
        "VERSION": _text(__version__),
    }
    first, *rest = page.split("{{")
    filled = [first]
    for part in rest:
        name, _, after = part.partition("}}")
        filled += [parts[name], after]
    return "".join(filled).encode("utf-8", "replace").decode("utf-8")


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{escape(value)}">{_text(shown)}</option>' for value, shown in pairs)


def _pages(report: Report) -> dict[str, str]:
    """The pages of the rules that found something."""
    from ddplint.pages import page
    from ddplint.registry import load_rules

    book = load_rules()
    found = {one.code: book.find(one.code) for one in report.findings}
    return {code: page(rule) for code, rule in found.items() if rule is not None}


def _finding(finding: Finding, number: int) -> str:
    place = finding.place
    where = f"{place.file.path}:{place.range.start_line}:{place.range.start_col}"
    where += cell_text(place)
    code, path = escape(finding.code), escape(place.file.path)
    labelled = f'aria-labelledby="h{number}"'
    kind = f'<span class="badge">{_kind(finding.severity)}</span>'
    about = f"{_text(finding.name)} · {_text(finding.confidence.value)} confidence"
    parts = [
        f'<article class="finding {finding.severity.value}" data-rule="{code}" data-file="{path}" {labelled}>',
        f'<h2 id="h{number}">{kind} <code>{code}</code> {_text(finding.message)}</h2>',
        f'<p class="where"><code>{_text(where)}</code> · {about}</p>',
        f'<div class="scroll">{picture(finding, number)}</div>' if finding.actions else "",
        _actions(finding.actions),
        *_code(finding),
        f"<p>{_text(_hint(finding))}</p>",
        f'<button type="button" class="about" data-code="{code}" aria-expanded="false">About {code}</button>',
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _kind(severity: Severity) -> str:
    return {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.ADVICE: "Advice"}[severity]


def _hint(finding: Finding) -> str:
    if finding.fix is None:
        return f"No automatic fix: {finding.no_fix}" if finding.no_fix else "No automatic fix."
    unsafe = "" if finding.fix.safety is Safety.SAFE else " --unsafe-fixes"
    return f"--fix{unsafe}: {finding.fix.title}"


def _actions(actions: Iterable[RankAction]) -> str:
    rows = [
        f"<tr><th scope=row>{_text(group_name(one.ranks))}</th><td>{_text(one.what)}</td>"
        f"<td>{_text(_at(one.place))}</td><td>{_text(bare_remark(one.remark))}</td></tr>"
        for one in actions
    ]
    if not rows:
        return ""
    head = "<tr><th scope=col>Ranks</th><th scope=col>do next</th><th scope=col>where</th><th scope=col></th></tr>"
    return f"<table><caption>What the ranks do next</caption>{head}{''.join(rows)}</table>"


def _at(place: Place | None) -> str:
    return "" if place is None else f"{place.file.path}:{place.range.start_line}"


def _code(finding: Finding) -> Iterator[str]:
    """The lines that matter, file by file, with what is said about them."""
    marks = [(finding.place, "here", "own"), *((note.place, _note(note), note.role) for note in finding.notes)]
    paths = dict.fromkeys([finding.place.file.path, *(place.file.path for place, _, _ in marks)])
    for path in paths:
        mine = [(place, text, role) for place, text, role in marks if place.file.path == path]
        code = "\n".join(_lines(mine))
        yield f"<figure><figcaption>{_text(path)}</figcaption><pre><code>{code}</code></pre></figure>"


def _note(note: Note) -> str:
    return f"in {note.text}" if note.role == "call" else note.text


def _lines(marks: list[tuple[Place, str, str]]) -> Iterator[str]:
    lines = marks[0][0].file.lines
    said: dict[int, list[tuple[str, str]]] = {}
    for place, text, role in marks:
        said.setdefault(place.range.start_line, []).append((text, role))
    near = {near for line in said for near in range(line - _AROUND, line + _AROUND + 1)}
    before = 0
    for line in sorted(one for one in near if 1 <= one <= len(lines)):
        if before and line > before + 1:
            yield '<span class="cut">⋮</span>'
        before = line
        code = f'<span class="number">{line:>5}</span> {_text(lines[line - 1])}'
        remarks = "".join(f' <span class="note {role}">{_text(text)}</span>' for text, role in said.get(line, ()))
        own = any(role == "own" for _, role in said.get(line, ()))
        yield f"<mark>{code}</mark>{remarks}" if own else f"{code}{remarks}"


def _text(text: str) -> str:
    """``text`` for the page; control characters are replaced."""
    return escape("".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text))

"""A root cause as a card of the page: what is wrong, the lanes, the code, the further places, the fix as a diff."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.findings.model import Finding, Fold, Harm, Safety
from ddplint.report.further import kinds_of
from ddplint.report.page.lanes import picture
from ddplint.report.page.markup import inline
from ddplint.report.page.snippets import plain, snippets
from ddplint.report.patches import patch
from ddplint.report.roots import Root
from ddplint.report.summary import count
from ddplint.report.wording import line_text, spot

_HARM = {
    Harm.HANG: "can hang the job",
    Harm.DATA: "data or a checkpoint may be lost or wrong",
    Harm.CRASH: "can end the job",
    Harm.RESULT: "can change results",
    Harm.COST: "",
}
_FOLD = {Fold.COPIED: "in a copy of another project", Fold.UNCALLED: "in a function that nothing calls"}
_OPEN = 12
"""Further places that are shown without being asked for."""


def card(root: Root, number: int, by_file: int, by_rule: int) -> str:
    """The card.

    Parameters: ``number``, its place in the order worst first, which makes its ids unique; ``by_file`` and
    ``by_rule``, its places in the other orders.
    """
    lead = root.lead
    kinds = [lead.severity.value, *(one.severity.value for one in root.further)]
    data = {
        "severity": "\n".join(dict.fromkeys(kinds)),
        "rule": "\n".join(dict.fromkeys(one.code for one in root.findings)),
        "file": "\n".join(dict.fromkeys(one.place.file.path for one in root.findings)),
        "order": str(number),
        "byfile": str(by_file),
        "byrule": str(by_rule),
    }
    told = " ".join(f'data-{name}="{plain_lines(value)}"' for name, value in data.items())
    parts = [
        f'<article class="finding {lead.severity.value}" id="finding-{number}" aria-labelledby="h{number}" {told}>',
        f'<h3 id="h{number}">{_badge(lead)} {plain(lead.code)}: {inline_plain(lead.message)}</h3>',
        _where(lead),
        picture(lead),
        *snippets(lead),
        *_further(root),
        *_fix(root),
        f'<p><a href="#rule-{plain(lead.code)}">About {plain(lead.code)} {plain(lead.name)}</a></p>',
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def plain_lines(text: str) -> str:
    """Lines for an attribute."""
    return "\n".join(plain(line) for line in text.split("\n"))


def inline_plain(text: str) -> str:
    """A message or a title, with its code in backticks."""
    return inline("".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text))


def _badge(finding: Finding) -> str:
    return f'<span class="badge {finding.severity.value}">{finding.severity.value}</span>'


def _where(finding: Finding) -> str:
    place = finding.place
    where = spot(place)
    harm = f'<span class="harm">{_HARM[finding.harm]}</span>' if _HARM[finding.harm] else ""
    sure = f'<span title="{plain(finding.certainty.text)}">{finding.confidence.value} confidence</span>'
    about = f"<span>{plain(finding.name)}</span>{sure}"
    reach = f"<span>in {finding.programs} programs</span>" if finding.programs > 1 else ""
    fold = "" if finding.fold is None else f"<span>{_FOLD[finding.fold]}</span>"
    return f'<p class="where"><code>{plain(where)}</code>{about}{reach}{fold}{harm}</p>'


def _further(root: Root) -> Iterator[str]:
    """The further places, with what else is said of them."""
    if not root.further:
        return
    rows = [f"<li>{_place(one)}</li>" for one in root.copies]
    for alike in kinds_of(root.others):
        one = alike[0]
        places = ", ".join(map(_place, alike))
        rows.append(f"<li>{_badge(one)} {plain(one.code)}: {inline_plain(one.message)} ({places})</li>")
    title = f"{count(len(root.further), 'further place')} with the same root cause"
    opened = " open" if len(rows) <= _OPEN else ""
    yield f'<details{opened}><summary>{title}</summary><ul class="further">{"".join(rows)}</ul></details>'


def _place(finding: Finding) -> str:
    return f"<code>{plain(finding.place.file.path)}:{line_text(finding.place)}</code>"


def _fix(root: Root) -> Iterator[str]:
    fix = root.lead.fix
    if fix is None:
        reason = f": {inline_plain(root.lead.no_fix)}" if root.lead.no_fix else "."
        yield f"<p><strong>No automatic fix</strong>{reason}</p>"
        return
    option = "--fix" if fix.safety is Safety.SAFE else "--fix --unsafe-fixes"
    drawn = patch(fix)
    title = f"<strong>Fix</strong> (<code>ddplint {option}</code>): {inline_plain(fix.title)}"
    yield f"<details open><summary>{title}</summary>{drawn}</details>" if drawn else f"<p>{title}</p>"

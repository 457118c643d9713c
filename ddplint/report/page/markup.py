"""The Markdown of the rule pages as HTML: headings, paragraphs, lists, tables, code, emphasis, links to issues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```\s*?$", re.MULTILINE | re.DOTALL)
_PARTS = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\b([\w.-]+/[\w.-]+)#(\d+)\b|\[([^\]]+)\]\((https://[^\s)]+)\)")
_ITEM = re.compile(r"^(?:[-*]|\d+\.) ")


def rendered(text: str, level: int = 2) -> str:
    """The page.

    Parameters: ``level`` of the headings that are written ``##`` there.
    """
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts += _blocks(text[end : fence.start()], level)
        parts.append(f"<pre><code>{escape(fence[2].rstrip())}</code></pre>")
        end = fence.end()
    return "\n".join([*parts, *_blocks(text[end:], level)])


def inline(text: str) -> str:
    """One line: code, strong words and links; everything else is escaped."""
    parts, end = [], 0
    for found in _PARTS.finditer(text):
        parts += [escape(text[end : found.start()]), _part(found)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _part(found: re.Match[str]) -> str:
    code, strong, repository, number, words, target = found.groups()
    if code:
        return f"<code>{escape(code)}</code>"
    if strong:
        return f"<strong>{inline(strong)}</strong>"
    if repository:
        address = f"https://github.com/{repository}/issues/{number}"
        return f'<a href="{escape(address)}" rel="noreferrer">{escape(found[0])}</a>'
    return f'<a href="{escape(target)}" rel="noreferrer">{escape(words)}</a>'


def _blocks(text: str, level: int) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.strip("\n").splitlines()
        if lines and lines[0].startswith("#"):
            marks, _, title = lines[0].partition(" ")
            size = min(len(marks) - 2 + level, 6)
            yield f"<h{size}>{inline(title)}</h{size}>"
            lines = lines[1:]
        if not lines:
            continue
        if all(line.lstrip().startswith("|") for line in lines):
            yield _table(lines)
        elif _ITEM.match(lines[0]):
            yield _list(lines)
        else:
            yield f"<p>{inline(' '.join(line.strip() for line in lines))}</p>"


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line):
            items.append(_ITEM.sub("", line).strip())
        else:
            items[-1] += " " + line.strip()
    kind = "ol" if lines[0][0].isdigit() else "ul"
    return f"<{kind}>" + "".join(f"<li>{inline(item)}</li>" for item in items) + f"</{kind}>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in row)}</tr>" for row in rows[2:])
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'

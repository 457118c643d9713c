"""A fix as a diff."""

from __future__ import annotations

from collections.abc import Iterator

from ddplint.findings.model import Fix
from ddplint.report.page.snippets import plain
from ddplint.report.replacements import applied, replacements

_KINDS = {"+": "added", "-": "removed", "@": "hunk"}


def patch(fix: Fix) -> str:
    """The changes of a fix, file by file; nothing where it cannot be carried out."""
    from ddplint.fixing.edit.diff import unified_diff

    changes = replacements(fix)
    lines: list[str] = []
    for file in dict.fromkeys(change.file for change in changes):
        after = applied(file, [change for change in changes if change.file is file])
        lines += unified_diff(file.path, file.text, after).splitlines()
    return f'<pre class="patch" tabindex="0">{"".join(_drawn(lines))}</pre>' if lines else ""


def _drawn(lines: list[str]) -> Iterator[str]:
    for line in lines:
        head = line.startswith(("+++", "---"))
        kind = "path" if head else _KINDS.get(line[:1], "")
        yield f'<span class="{kind}">{plain(line)}</span>\n' if kind else f"{plain(line)}\n"

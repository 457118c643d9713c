"""One line per finding: ``path:line:column: CODE message [name, confidence]``."""

from __future__ import annotations

from ddplint.report.terminal import Style
from ddplint.rule import Finding, Severity

__all__ = ["heading"]

_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.ADVICE: "blue"}


def heading(finding: Finding, style: Style) -> str:
    """The line of a finding, which is also the first line of the full format."""
    place = finding.place.file.range_of(finding.place.node)
    where = style.paint(f"{finding.place.file.path}:{place.start_line}:{place.start_col}", "bold")
    code = style.paint(finding.code, _COLOUR[finding.severity])
    about = style.paint(f"[{finding.name}, {finding.confidence.value}]", "dim")
    return f"{where}: {code} {style.sayable(finding.message)} {about}"

"""Findings → text for people or programs: ``formats``, one module each; ``page``, what HTML pages are made of.

Here is what several formats share: the order, roots, counts, words. Decides nothing about what is a finding.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ddplint.findings.results import Report
    from ddplint.report.context import Context


__all__ = ["render"]


class _Format(Protocol):
    def render(self, report: Report, context: Context) -> str: ...


def render(name: str, report: Report, context: Context) -> str:
    """The report in the format ``name``, with a line end."""
    return cast(_Format, importlib.import_module(f"ddplint.report.formats.{name}")).render(report, context)

"""The names of the output formats."""

from __future__ import annotations

FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html", "review")
"""The names of the formats, which are also those of their modules."""

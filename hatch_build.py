"""What the package says of itself that is not in pyproject.toml: addresses, and a README whose links work elsewhere.

Both come from ``ddplint/version.py``, the one place that holds the addresses.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(\]\(|srcset=\"|src=\")(?!https?:|#)([^)\"]+)")


class Metadata(MetadataHookInterface):
    """Fills in ``readme`` and ``urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them to the project's metadata."""
        top = Path(self.root)
        about: dict[str, Any] = {}
        exec((top / "ddplint" / "version.py").read_text("utf-8"), about)
        repository, tag = about["REPOSITORY"], f"v{about['__version__']}"
        text = (top / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository, tag)}
        metadata["urls"] = {
            "Documentation": about["DOCUMENTATION"],
            "Source": repository,
            "Changelog": f"{about['DOCUMENTATION']}changelog/",
        }


def absolute(text: str, repository: str, tag: str) -> str:
    """A README whose links to files lead into the repository at a tag: pictures to the file, others to its page."""

    def lead(match: re.Match[str]) -> str:
        kind = "blob" if match[1] == "](" else "raw"
        return f"{match[1]}{repository}/{kind}/{tag}/{match[2]}"

    return _LINK.sub(lead, text)

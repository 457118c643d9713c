"""The version that ``--version`` prints."""

from __future__ import annotations

from pathlib import Path

from ddplint.report.revision import revision_of
from ddplint.version import __version__


def full_version(home: Path = Path(__file__).parent.parent.parent) -> str:
    """The version, in a clone with the revision that is checked out: ``0.1.0 (0123456789ab, branch main)``.

    Parameters: ``home``, the folder that holds the package.
    """
    commit, _, branch = revision_of(home).partition(" ")
    about = [commit, *(["branch " + branch.strip("()")] if branch else [])]
    return f"{__version__} ({', '.join(about)})" if commit else __version__

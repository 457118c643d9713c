"""ddplint finds the places where the ranks of a distributed PyTorch trainer disagree about what comes next.

``ddplint.check(paths)`` is the tool as a function; see :mod:`ddplint.api`.
"""

from typing import TYPE_CHECKING

from ddplint.version import __version__

__all__ = ["Finding", "Place", "Range", "Report", "SettingsError", "__version__", "check"]

if TYPE_CHECKING:
    from ddplint.api import Finding, Place, Range, Report, SettingsError, check


def __getattr__(name: str) -> object:
    """The names of the API, imported when somebody asks for them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ddplint import api

    return getattr(api, name)

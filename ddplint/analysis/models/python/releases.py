"""Which torch a program is taken to run with: what it asks for a feature or the version is answered.

Code for older releases is not walked then, and what it would do is nobody's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import Const

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.arguments import Args, Kwargs
    from ddplint.analysis.domain.values import Value
    from ddplint.analysis.memory.protocol import Interp


_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9})*")


class Release(str):
    """A version as a text that compares as a version does, with others and with plain texts (``torch.__version__``)."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return _numbers(self) < _numbers(other)

    def __le__(self, other: str) -> bool:
        return _numbers(self) <= _numbers(other)

    def __gt__(self, other: str) -> bool:
        return _numbers(self) > _numbers(other)

    def __ge__(self, other: str) -> bool:
        return _numbers(self) >= _numbers(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and _VERSION.match(other) is not None and _numbers(self) == _numbers(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(_numbers(self))


def _numbers(text: str) -> tuple[int, ...]:
    found = _VERSION.match(text)
    if found is None:
        raise ValueError(text)
    numbers = [int(part) for part in found.group().split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


VERSIONS = {"torch.__version__": Const(Release("2.13.0"))}
"""What the tables were checked with."""
PARSERS = (
    "distutils.version.LooseVersion",
    "distutils.version.StrictVersion",
    "packaging.version.Version",
    "packaging.version.parse",
    "pkg_resources.parse_version",
)


def parsed(w: Interp, args: Args, kwargs: Kwargs, node: cst.CSTNode) -> Value | None:
    """A version that is written out."""
    if len(args) != 1 or not isinstance(args[0], Const) or not isinstance(args[0].value, str):
        return None
    return Const(Release(args[0].value)) if re.match(r"\d", args[0].value) else None


def has_feature(w: Interp, full: str) -> bool:
    """Whether torch surely has something by this name."""
    return full in w.knowledge.quiet("features") or (full.startswith("torch.") and w.knowledge.lookup(full) is not None)

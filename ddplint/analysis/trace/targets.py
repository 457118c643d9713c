"""Which values are paths in the file system."""

from __future__ import annotations

from ddplint.analysis.domain.values import Const, External, Function, Object, Value

NOT_FILES = ("io.BytesIO", "io.StringIO", "io.TextIOWrapper", "tempfile.")
"""Objects that stand where a path may stand: memory, and files whose opening was an event of its own."""

_NO_PATHS = frozenset({"os.devnull", "sys.stdout", "sys.stderr"})

NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "nul"})


def is_path(value: Value | None) -> bool:
    """Whether a value may be a path in the file system."""
    if value is None or isinstance(value, Function):
        return False
    if isinstance(value, Const):
        return isinstance(value.value, str) and value.value.lower() not in NOWHERE
    if isinstance(value, External):
        return value.name not in _NO_PATHS
    return not isinstance(value, Object) or not value.name.startswith(NOT_FILES)

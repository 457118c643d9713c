"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def put(target: str | Path, data: bytes) -> None:
    """Write a file as a whole, or not at all. Raises ``OSError`` where it cannot be written."""
    handle, name = tempfile.mkstemp(dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise

"""``package:file``: a configuration in an installed package, found without importing anything of it."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

_NAMED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?![/\\])(.+)")


def is_packaged(text: str) -> bool:
    """Whether a configuration is named as ``package:file``; ``C:/file`` is a path."""
    return _NAMED.fullmatch(text) is not None


def packaged(text: str) -> Path:
    """The file. Raises ``LookupError`` with what is missing.

    Only the package at the top is looked up, which imports nothing; those within it are folders.
    """
    named = _NAMED.fullmatch(text)
    if named is None:
        raise LookupError(f"'{text}' is not of the form package:file")
    package, inner = named.groups()
    top, *below = package.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    folders = [Path(one, *below) for one in spec.submodule_search_locations or ()] if spec is not None else []
    if not any(os.path.isdir(folder) for folder in folders):
        raise LookupError(f"the package {package} is not installed for this Python")
    for folder in folders:
        file = Path(os.path.normpath(folder / inner))
        if folder not in file.parents:
            raise LookupError(f"{inner} is not a file within the package {package}")
        if os.path.isfile(file):
            return file
    raise LookupError(f"the package {package} has no file {inner}")

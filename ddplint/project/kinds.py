"""Which files are launch files, by name and first line."""

from __future__ import annotations

import re

KINDS = {
    ".sh": "shell",
    ".bash": "shell",
    ".slurm": "shell",
    ".sbatch": "shell",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".dockerfile": "dockerfile",
}

_SHEBANG = re.compile(rb"#![^\n]*\b(?:ba|da|z|k)?sh\b")


def kind_of(path: str, data: bytes = b"") -> str:
    """``shell``, ``yaml``, ``dockerfile``, or ``""`` for what is no launch file.

    Parameters: ``data``, the content of a file whose name says nothing, to look at its first line.
    """
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    if suffix in KINDS:
        return KINDS[suffix]
    if name == "Dockerfile" or name.startswith("Dockerfile."):
        return "dockerfile"
    return "shell" if not suffix and _SHEBANG.match(data) else ""

"""Which files are launch files, and which of them may matter."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

__all__ = ["KINDS", "is_trial", "kind_of", "prefilter"]

KINDS = {
    ".sh": "shell",
    ".bash": "shell",
    ".slurm": "shell",
    ".sbatch": "shell",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".dockerfile": "dockerfile",
}
MOST_BYTES = 1_000_000
_SHEBANG = re.compile(rb"#![^\n]*\b(?:ba|da|z|k)?sh\b")
_TRIAL = re.compile(
    r"(?:^|[/_.-])(?:tests?|testing|ci|bench\w*|debug\w*|\.github|\.gitlab-ci|\.circleci|\.buildkite|jenkins\w*"
    r"|azure-pipelines|azure_pipelines)(?:[/_.-]|$)",
    re.IGNORECASE,
)


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


def is_trial(path: str) -> bool:
    """Whether a path says, below its repository, that its file is for tests, benchmarks, debugging or a CI service."""
    if os.path.isabs(path):
        from ddplint.util.paths import below, top_folder

        path = below(Path(path), top_folder(Path(path).parent))
    return _TRIAL.search(path) is not None


@cache
def prefilter() -> re.Pattern[bytes]:
    """What a launch file must mention to be worth parsing."""
    from ddplint.knowledge import load_knowledge

    rows = load_knowledge().envs().values()
    names = sorted(re.escape(row.name.encode()) for row in rows if row.status != "active" or row.costly)
    return re.compile(rb"\b(?:" + b"|".join(names) + rb")\b|\btorch\.distributed\.launch\b")

"""Which files are launch files, and which of them may matter."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

MOST_BYTES = 1_000_000
_TRIAL = re.compile(
    r"(?:^|[/_.-])(?:tests?|testing|ci|bench\w*|debug\w*|\.github|\.gitlab-ci|\.circleci|\.buildkite|jenkins\w*"
    r"|azure-pipelines|azure_pipelines)(?:[/_.-]|$)",
    re.IGNORECASE,
)


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

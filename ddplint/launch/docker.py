"""The ``ENV`` lines of a Dockerfile → facts."""

from __future__ import annotations

import re

from ddplint.findings.launch_facts import Assignment
from ddplint.launch.shell import Facts, assignment
from ddplint.launch.text import LaunchSource

_ENV = re.compile(r"^[ \t]*ENV[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE | re.IGNORECASE)
_PAIR = re.compile(r"""([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:\\[^\r\n]|[^\s\\])*)""")
_OLD = re.compile(r"([A-Za-z_]\w*)[ \t]+([^\r\n]*)")


def docker_facts(file: LaunchSource) -> Facts:
    """The variables that an image sets."""
    found: list[Assignment] = []
    for line in _ENV.finditer(file.text):
        old = _OLD.match(line[1])
        pairs = [old] if old else list(_PAIR.finditer(line[1]))
        for pair in pairs:
            value = None if "$" in pair[2] else pair[2].strip().strip("\"'")
            found.append(assignment(file, line.start(1) + pair.start(1), pair[1], value))
    return found, []

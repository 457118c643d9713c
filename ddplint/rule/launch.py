"""Launch files: the variables that they set, the launchers that they start, what reads a variable."""

from __future__ import annotations

from ddplint.config.pins import excluded
from ddplint.findings.launch_facts import Assignment, Launch, LaunchFile
from ddplint.launch.parsers import lone_parse
from ddplint.launch.readers import beside, is_read, is_started, passing_starts, reads

__all__ = [
    "Assignment",
    "Launch",
    "LaunchFile",
    "beside",
    "excluded",
    "is_read",
    "is_started",
    "lone_parse",
    "passing_starts",
    "reads",
]

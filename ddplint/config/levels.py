"""How bad a finding is, and how sure."""

from __future__ import annotations

import enum


class Severity(enum.Enum):
    """How bad it is: ranks hang or state is corrupted, wrong under common conditions, hygiene."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Confidence(enum.Enum):
    """How sure the walk is; ``LOW`` findings are not shown unless asked for."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

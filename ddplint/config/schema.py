"""``ddplint schema``: the JSON schema of the configuration, made from its keys."""

from __future__ import annotations

import json
from typing import Any

from ddplint.config.keys import KEYS


def schema() -> dict[str, Any]:
    """The schema of ``ddplint.toml``, and of the table ``tool.ddplint`` of ``pyproject.toml``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of ddplint",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {**key.schema, "description": key.text} for name, key in KEYS.items()},
    }


def schema_text() -> str:
    """The schema as it is printed and kept in ``config.schema.json``."""
    return json.dumps(schema(), indent=2) + "\n"

"""``--show-settings`` and ``--show-files``: what a run would go by, and what it would look at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from ddplint.config.keys import KEYS
from ddplint.config.settings import Settings
from ddplint.engine.inputs import chosen_files


def settings_text(settings: Settings) -> str:
    """The settings as a configuration file: the files they come from, then every key with its value and its origin."""
    lines = [f"# configuration: {settings.config or 'none found, these are the defaults'}"]
    lines += [f"# extended: {file}" for file in settings.sources if file != settings.config]
    tables: list[str] = []
    for key in KEYS:
        if key == "extend":
            continue
        name = key.replace("-", "_")
        value, origin = _plain(key, getattr(settings, name)), settings.origins.get(name, "default")
        if isinstance(value, dict):
            tables += _table(key, value, origin)
        else:
            lines.append(f"{key} = {_toml(value)}  # {origin}" if value is not None else f"# {key}: not set")
    return "\n".join([*lines, *tables]) + "\n"


def files_text(paths: Sequence[str], settings: Settings) -> str:
    """One line for each file that a check of ``paths`` would read."""
    return "".join(f"{file}\n" for file in chosen_files(paths, settings))


def _plain(key: str, value: Any) -> Any:
    if key == "per-file-ignores":
        return {pattern: list(codes) for pattern, codes in value}
    if key == "rules":
        return {code: dict(options) for code, options in value}
    if key == "certainty":
        return {reason.value: "off" if level is None else level.value for reason, level in value}
    if key == "output":
        return [str(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {name.replace("_", "-"): list(names) for name, names in asdict(value).items()}
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value


def _table(name: str, values: dict[str, Any], origin: str) -> Iterator[str]:
    inner = {key: value for key, value in values.items() if isinstance(value, dict)}
    plain = {key: value for key, value in values.items() if key not in inner}
    if plain or not inner:
        yield ""
        yield f"[{name}]  # {origin}"
        yield from (f"{_key(key)} = {_toml(value)}" for key, value in plain.items())
    for key, value in inner.items():
        yield from _table(f"{name}.{_key(key)}", value, origin)


def _key(text: str) -> str:
    return text if text.replace("-", "").replace("_", "").isalnum() and text.isascii() else json.dumps(text)


def _toml(value: Any) -> str:
    """A text, number, flag or list of texts: TOML writes these as JSON does."""
    return json.dumps(value, ensure_ascii=False)

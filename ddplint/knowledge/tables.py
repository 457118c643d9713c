"""Reading the compiled tables."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ddplint.knowledge.rows import Contradiction, Env, Sharding, Trial

Table = Mapping[str, Mapping[str, Any]]


@cache
def folder() -> Path:
    """Where the compiled tables are. Raises ``ModuleNotFoundError`` where they are not installed."""
    spec = importlib.util.find_spec("ddplint_rules.knowledge")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the knowledge tables (package ddplint_rules) are not installed")
    return Path(spec.origin).parent / "compiled"


@cache
def read(path: Path) -> Table:
    """A compiled table, read once."""
    table: Table = json.loads(path.read_bytes())
    return table


@cache
def envs(where: Path) -> Mapping[str, Env]:
    """The environment variables by name."""
    return {name: Env(name, **plain(fields)) for name, fields in read(where / "env.json")["env"].items()}


@cache
def contradictions(where: Path) -> tuple[Contradiction, ...]:
    """Settings that do not fit together."""
    return tuple(Contradiction(**plain(fields)) for fields in read(where / "env.json")["contradiction"].values())


@cache
def trials(where: Path) -> tuple[Trial, ...]:
    """Settings to find a broken transport with, what costs least first."""
    return tuple(Trial(**plain(fields)) for fields in read(where / "env.json")["trial"].values())


@cache
def shardings(where: Path) -> tuple[Sharding, ...]:
    """The arguments that split a model over the ranks."""
    return tuple(Sharding(arg, **fields) for arg, fields in read(where / "quiet.json")["sharding"].items())


@cache
def quiet(where: Path, *kinds: str) -> frozenset[str]:
    """The names of some kinds that speak to no other rank."""
    known = read(where / "quiet.json")["quiet"]
    return frozenset(name for kind in kinds for name in known[kind])


@cache
def _beginnings(kind: str) -> tuple[str, ...]:
    return tuple(names(kind))


def begins(kind: str, name: str) -> bool:
    """Whether a full dotted name begins as one of a list of beginnings: ``layers``, ``optimizers``, ``map_style``."""
    return name.startswith(_beginnings(kind))


def is_optimizer(name: str) -> bool:
    """Whether a full dotted name is of an optimizer: what sets its rate lies in the same package."""
    return begins("optimizers", name) and not begins("schedulers", name)


@cache
def names(kind: str) -> frozenset[str]:
    """The names of one kind, of the tables that are installed."""
    return quiet(folder(), kind)


@cache
def programs() -> Table:
    """The programs of a shell of which the tables say what they write, with the verb behind the name."""
    found: Table = read(folder() / "index.json")["programs"]
    return found


def plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a row as its dataclass takes them: arrays become tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


@cache
def prefilter(pattern: str) -> re.Pattern[bytes]:
    """The compiled pattern of the words that make a file relevant."""
    return re.compile(pattern.encode())

"""Environment variables that do nothing, slow a job down or contradict each other."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping

from ddplint.job.doctor.result import OK, WARN, Result
from ddplint.knowledge import Env, load_knowledge

_USELESS = ("no_effect", "removed", "renamed", "deprecated")


def environment(env: Mapping[str, str]) -> Iterator[Result]:
    """What is wrong with each variable by itself, then what does not fit together."""
    rows, texts = load_knowledge().envs(), []
    for name in sorted(env):
        row = rows.get(name)
        if row is not None and row.status in _USELESS:
            texts.append(_useless(row))
        elif row is not None and env[name] in row.costly:
            texts.append(f"{name}={env[name]} is for debugging: {row.harmful or 'it slows a job down'}")
    texts += [*_renamed_twice(env, rows), *_contradictions(env)]
    for text in texts:
        yield Result("environment", WARN, text)
    if not texts:
        yield Result("environment", OK, "no variable without effect, renamed, left from debugging or against another")


def _useless(row: Env) -> str:
    new = f"; it is called {row.renamed_to} now" if row.renamed_to else ""
    instead = f"; instead: {row.instead}" if row.instead and not row.renamed_to else ""
    what = "nothing reads it" if row.status in ("no_effect", "removed") else f"it is {row.status}"
    return f"{row.name} is set, but {what}{new}{instead}"


def _renamed_twice(env: Mapping[str, str], rows: Mapping[str, Env]) -> Iterator[str]:
    """The old and the new name of one setting with different values."""
    for name in sorted(env):
        new = rows[name].renamed_to if name in rows else ""
        if new in env and env[new] != env[name]:
            yield f"{name}={env[name]} and {new}={env[new]} are two names of one setting, with different values"


def _contradictions(env: Mapping[str, str]) -> Iterator[str]:
    for row in load_knowledge().contradictions():
        if env.get(row.name, "").lower() not in {value.lower() for value in row.values}:
            continue
        against = [one for pattern in row.against for one in _matching(env, pattern)]
        if against:
            yield f"{row.name}={env[row.name]} against {', '.join(against)}: {row.text}"


def _matching(env: Mapping[str, str], pattern: str) -> Iterator[str]:
    """Settings that fit ``PATTERN`` or ``PATTERN=value``, as ``NAME=value``."""
    names, _, value = pattern.partition("=")
    for name in sorted(env):
        if fnmatch.fnmatchcase(name, names) and env[name] and (not value or env[name].lower() == value.lower()):
            yield f"{name}={env[name]}"

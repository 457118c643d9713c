"""The tool as a function, for programs in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from ddplint.config.settings import SettingsError, load_settings
from ddplint.findings.model import Finding, Place
from ddplint.findings.results import Report
from ddplint.util.ranges import Range

__all__ = ["Finding", "Place", "Range", "Report", "SettingsError", "check"]


def check(
    paths: Iterable[str | os.PathLike[str]],
    *,
    config: str | os.PathLike[str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    jobs: int = 1,
) -> Report:
    """Check files and folders and change nothing, not even a cache.

    Parameters: ``paths``, files and folders, as on the command line; ``config``, a configuration file to use instead
    of the nearest one; ``select`` and ``ignore``, codes, groups or names of rules, on top of the configuration;
    ``jobs``, how many processes to use (0: one for each CPU; a program with threads always uses one).

    Returns the report: ``findings`` (each with ``code``, ``message``, ``severity``, ``place.file.path``,
    ``place.range`` with lines and columns from 1, ``actions``, ``notes``, ``fix``), ``silenced``, and ``problems``
    for what could not be checked. Raises :class:`SettingsError` for a configuration or rule that cannot be used.
    """
    from ddplint.engine.checker import check as run

    names = [os.fspath(path) for path in paths]
    settings = load_settings(names, None if config is None else os.fspath(config))
    chosen = {"select": tuple(select), "ignore": tuple(ignore)}
    return run(names, replace(settings.with_chosen(chosen), jobs=jobs))

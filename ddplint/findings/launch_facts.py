"""What a launch file (or a Python file) says about the environment and the launcher: plain frozen facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ddplint.findings.model import Fix, Place, Safety
    from ddplint.source.file import SourceFile


@dataclass(frozen=True, eq=False)
class Assignment:
    """An environment variable that is set for a process.

    ``value`` is ``None`` where it is not written out. ``place`` is the name itself. ``child``: it is set for a process
    that is started, not for the one that runs this code. ``renamed`` gives the fix that writes another name there.
    """

    name: str
    value: str | None
    place: Place
    child: bool
    renamed: Callable[[str, str, Safety], Fix]


@dataclass(frozen=True, eq=False)
class Launch:
    """A program that is started with ``python -m``.

    ``module`` is its name and ``place`` the words ``python -m module``, or from ``-m`` on where options stand between.
    ``options`` are the launcher's own, as they are written. ``replaced`` gives the fix that writes another command
    there and leaves out some of the options; ``plain`` says that the interpreter is just ``python`` or ``python3``.
    """

    module: str
    place: Place
    options: tuple[str, ...]
    plain: bool
    replaced: Callable[[str, str, tuple[str, ...], Safety], Fix]


@dataclass(frozen=True, eq=False)
class LaunchFile:
    """The facts of one file. ``kind``: ``shell``, ``yaml``, ``dockerfile`` or ``python``.

    ``trial``: it runs tests, benchmarks or a CI job, where aids for debugging are in their place.
    """

    file: SourceFile
    kind: str
    trial: bool
    assignments: tuple[Assignment, ...] = ()
    launches: tuple[Launch, ...] = ()

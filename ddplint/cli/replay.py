"""A run that is repeated while nothing has changed prints again what it printed.

Then no file is read and nothing of the checker is imported: the tree is only looked at (names, sizes, times, inodes).
This is asked first, so this module imports little.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

from ddplint.version import __version__

if TYPE_CHECKING:
    from ddplint.config.settings import Settings


_OPTIONS = (
    "--select",
    "--ignore",
    "--output-format",
    "--strict",
    "--exit-zero",
    "--statistics",
    "--show-advice",
    "--show-all",
    "--baseline",
    "--config",
    "--min-",
    "--jobs",
    "--seconds-per-file",
    "--extend-select",
    "--exclude",
    "--force-exclude",
    "--color",
    "--quiet",
    "-q",
)
_SKIPPED = frozenset(
    ".git .hg .svn .bzr .venv venv .tox .nox .eggs __pycache__ node_modules __pypackages__ .mypy_cache .ruff_cache "
    ".pytest_cache .hypothesis .ipynb_checkpoints .ddplint_cache".split()
)
_SHAPE = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "DDPLINT_CONFIG")
_CONFIGURATIONS = ("pyproject.toml", "ddplint.toml")
_MOST_FILES = 30_000
_MOST_TEXT = 1 << 22
_TICK = 0.1
"""Seconds within which a file may change twice and keep its times."""


class _Unsuitable(Exception):
    """The run cannot be repeated from what is kept."""


def open_replay(arguments: Sequence[str]) -> Replay | None:
    """What is kept of runs with just these arguments from this folder; ``None`` where a run is not to be repeated.

    That is so for all that writes, reads standard input or asks git, in huge trees, and where caching is switched off.
    """
    if os.environ.get("DDPLINT_NO_CACHE", "") not in ("", "0"):
        return None
    here = os.path.realpath(os.getcwd())
    top = next((folder for folder in _upwards(here) if os.path.exists(os.path.join(folder, ".git"))), "")
    if not top:
        return None
    for before, argument in zip(("", *arguments), arguments):
        if argument.startswith("-"):
            if not argument.startswith(_OPTIONS):
                return None
        elif before != "--config" and not f"{os.path.realpath(argument)}{os.sep}".startswith(f"{top}{os.sep}"):
            return None
    try:
        return Replay(arguments, here, top)
    except (OSError, _Unsuitable):
        return None


class Replay:
    """One run: ``known`` what an earlier one printed, or ``record`` what this one does."""

    def __init__(self, arguments: Sequence[str], here: str, top: str) -> None:
        self._top, self._began, self._allowed = top, time.time(), True
        shape = [os.environ.get(name) for name in _SHAPE]
        streams = [stream.isatty() for stream in (sys.stdout, sys.stderr)]
        if any(streams):
            shape.append(str(os.get_terminal_size(1 + streams.index(True) if not streams[0] else 1).columns))
        said = repr((__version__, sys.version, sys.path, list(arguments), here, shape, streams))
        name = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        self._path = os.path.join(top, ".ddplint_cache", "runs", name[:40])
        self._newest = 0.0
        self._configured: list[str] = []
        """The configurations below the top and above it."""
        self._sources: list[str] = []
        """The configurations that others of the run extend, or the command line names, wherever they are."""
        self._state = self._look()

    def known(self) -> tuple[str, str, int] | None:
        """Standard output, standard error and exit code of an earlier run of the same, in the same state."""
        try:
            with open(self._path, encoding="utf-8") as file:
                state, digest, body = file.read().split("\n", 2)
            if state != self._state or hashlib.sha256(body.encode()).hexdigest() != digest:
                return None
            out, err, code, sources = json.loads(body)
            if any(_stamp(path) != stamp for path, stamp in sources.items()):
                return None
        except (OSError, ValueError):
            return None
        return str(out), str(err), int(code)

    def allow(self, settings: Settings) -> None:
        """Take back that this run is kept where its ``settings`` lead out of what is looked at."""
        from importlib.metadata import entry_points

        books = {point.value.partition(":")[0].partition(".")[0] for point in entry_points(group="ddplint.rules")}
        baseline = os.path.realpath(settings.baseline) if settings.baseline else self._top
        outside = not baseline.startswith(self._top) or books - {"ddplint_rules"}
        writes = any(one.path for one in settings.output)
        if (
            outside
            or writes
            or settings.diff_base
            or settings.cache_dir
            or not settings.cache
            or books - {"ddplint_rules"}
        ):
            self._allowed = False
        self._sources = [os.path.abspath(file) for file in settings.sources]

    def forbid(self) -> None:
        """This run is not kept: it might come out otherwise."""
        self._allowed = False

    def record(self, run: Callable[[], int]) -> int:
        """The exit code of ``run()``. What it prints is kept, unless something changed meanwhile or was not checked."""
        out, err = _Tee(sys.stdout), _Tee(sys.stderr)
        with redirect_stdout(out), redirect_stderr(err):
            code = run()
        if self._allowed and code in (0, 1) and len(out.kept) + len(err.kept) < _MOST_TEXT:
            with suppress(OSError, ValueError, _Unsuitable):
                if self._newest < self._began - _TICK and self._look() == self._state:
                    self._keep("".join(out.kept), "".join(err.kept), code)
        return code

    def _keep(self, out: str, err: str, code: int) -> None:
        from ddplint.util.atomic import put

        body = json.dumps([out, err, code, {path: _stamp(path) for path in self._read()}])
        folder = os.path.dirname(self._path)
        if os.path.isdir(os.path.dirname(folder)):
            os.makedirs(folder, exist_ok=True)
            put(self._path, f"{self._state}\n{hashlib.sha256(body.encode()).hexdigest()}\n{body}".encode())

    def _look(self) -> str:
        """A digest of how everything looks that the outcome hangs on. Raises ``_Unsuitable`` where that is too much."""
        said = hashlib.sha256()
        package = os.path.dirname(os.path.dirname(__file__))
        rules = [os.path.join(folder, "ddplint_rules") for folder in sys.path]
        for folder in (package, *filter(os.path.isdir, rules)):
            for path, found in _files(folder):
                said.update(f"{path}\0{found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
        for path in sys.path:
            said.update(f"{path}\0{_stamp(path)}\n".encode("utf-8", "surrogatepass"))
        above: list[str] = []
        for folder in _upwards(self._top):
            for name in _CONFIGURATIONS:
                path = os.path.join(folder, name)
                said.update(f"{path}\0{_stamp(path)}\n".encode("utf-8", "surrogatepass"))
                above += [path] if os.path.isfile(path) else []
        said.update(_stamp(os.path.join(self._top, ".git", "info", "exclude")).encode())
        self._configured = above
        for count, (path, found) in enumerate(_files(self._top)):
            if count > _MOST_FILES:
                raise _Unsuitable
            if path.endswith(_CONFIGURATIONS):
                self._configured.append(path.partition(">")[0])
            self._newest = max(self._newest, found.st_ctime, found.st_mtime)
            about = f"{path}\0{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {found.st_mode}\n"
            said.update(about.encode("utf-8", "surrogatepass"))
        return said.hexdigest()

    def _read(self) -> list[str]:
        """All configurations that a run like this may go by. Raises ``_Unsuitable`` where one cannot be read."""
        from pathlib import Path

        from ddplint.config.layers import has_table, layers_of
        from ddplint.config.settings import SettingsError

        found = dict.fromkeys(self._sources)
        for path in map(Path, self._configured):
            try:
                if path.name == "ddplint.toml" or has_table(path):
                    found.update(dict.fromkeys(os.path.abspath(file) for file in layers_of(path).files))
            except SettingsError:
                raise _Unsuitable from None
        if any(max(os.stat(path).st_ctime, os.stat(path).st_mtime) >= self._began - _TICK for path in found):
            raise _Unsuitable
        return list(found)


class _Tee(io.TextIOBase):
    """Writes on, and keeps what was written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.kept = stream, list[str]()

    @property
    def bare(self) -> TextIO:
        """Where to write what is not kept."""
        return self._stream

    def write(self, text: str) -> int:
        self.kept.append(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding


def _files(folder: str, top: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """The files below ``folder`` and how they look; of links, where they lead.

    Raises ``_Unsuitable`` for links to folders outside of ``top``, and ``OSError``.
    """
    top = top or os.path.realpath(folder)
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name in _SKIPPED:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, top)
            elif entry.is_symlink():
                target = os.path.realpath(entry.path)
                if entry.is_dir() and not target.startswith(f"{top}{os.sep}"):
                    raise _Unsuitable
                yield f"{entry.path}>{target}", entry.stat(follow_symlinks=entry.is_file())
            else:
                yield entry.path, entry.stat()


def _stamp(path: str) -> str:
    try:
        found = os.stat(path or ".")
    except OSError:
        return "-"
    return f"{found.st_size} {found.st_mtime_ns}"


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above

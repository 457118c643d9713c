"""Results of earlier runs: one entry for each file, believed only while nothing that it depends on has changed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ddplint.config.pins import least
from ddplint.config.settings import Settings, SettingsError
from ddplint.engine.records import Outcome, outcome_of, record_of
from ddplint.project.roots import locate
from ddplint.project.schedule import Step
from ddplint.project.visits import Visited
from ddplint.source.file import SourceFile
from ddplint.util.atomic import put
from ddplint.util.regular import read_regular
from ddplint.version import __version__

FOLDER = ".ddplint_cache"


def open_cache(settings: Settings, top: Path) -> Cache | None:
    """The cache of the repository ``top``, or none where it is switched off or its folder cannot be made."""
    if not settings.cache or os.environ.get("DDPLINT_NO_CACHE", "") not in ("", "0"):
        return None
    folder = settings.cache_dir or top / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")):
            if not os.path.exists(folder / name):
                put(folder / name, text.encode())
    except OSError:
        return None
    return Cache(folder)


def remove_caches(settings: Settings, top: Path) -> Iterator[Path]:
    """Delete the folders of kept results, and say which those were; nothing else is in them.

    Raises :class:`SettingsError` where one cannot be deleted.
    """
    for folder in dict.fromkeys([settings.cache_dir or top / FOLDER, top / FOLDER]):
        if os.path.isfile(folder / "CACHEDIR.TAG") and not folder.is_symlink():
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise SettingsError(f"error: {folder} cannot be deleted: {error.strerror or error}") from None
            yield folder


class Cache:
    """A folder of entries. Any number of runs may use it: entries are replaced as a whole and checked on reading.

    An entry is found by the file's path, the folder the run was started in, and the settings that matter; it holds
    the digests of the file and of all modules that the walk read, and which modules it looked for and where they were.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._signature = _signature()
        self._digests: dict[str, str] = {}
        self._located: dict[tuple[str, str, str], str] = {}
        self._files: dict[str, SourceFile] = {}
        self.trees, self.records = folder / "trees", folder / "index"

    def know(self, files: Iterable[SourceFile]) -> None:
        """Take these for the content of their paths."""
        for file in files:
            self._files[str(file.real_path)] = file

    def get(
        self, step: Step, seen: Sequence[Visited], settings: Settings, answer: Callable[[str], str]
    ) -> Outcome | None:
        """The outcome of an earlier walk of just this, or ``None``.

        Parameters: ``seen``, what callers have done to its definitions; ``answer``, what the index says of a file now.
        """
        file = step.file
        try:
            entry = _opened(read_regular(self._folder / self._name(step, settings)))
            if entry["key"] != self._key(file, seen) or not self._fresh(entry):
                return None
            if any(answer(path) != said for path, said in entry["outcome"]["answers"]):
                return None
            return outcome_of(entry["outcome"], file, self._file)
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return None

    def put(self, step: Step, seen: Sequence[Visited], settings: Settings, record: dict[str, Any]) -> None:
        """Keep the record of an outcome; where that cannot be done, or would not last, nothing happens."""
        if record["fleeting"]:
            return
        found = {lookup[3] for lookup in record["lookups"] if lookup[3]}
        entry = {
            "key": self._key(step.file, seen),
            "modules": {path: self._digest(path) for path in sorted(found)},
            "outcome": record,
        }
        with suppress(OSError, ValueError):
            target = self._folder / self._name(step, settings)
            target.parent.mkdir(exist_ok=True)
            put(target, _closed(entry))

    def keep(self, step: Step, seen: Sequence[Visited], settings: Settings, outcome: Outcome) -> None:
        """Keep an outcome, unless something went wrong."""
        if not outcome.problems:
            self.put(step, seen, settings, record_of(outcome, step.file))

    def _name(self, step: Step, settings: Settings) -> str:
        uses = None if step.uses is None else sorted(step.uses)
        chosen = settings.select, settings.ignore, settings.extend_select, settings.rules
        many = step.among_many, step.once, step.partly
        said = repr((os.getcwd(), step.file.path, uses, many, chosen, settings.knowledge))
        name = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{name[:2]}/{name[2:40]}"

    def _key(self, file: SourceFile, seen: Sequence[Visited]) -> list[Any]:
        return [
            self._signature,
            str(file.real_path),
            hashlib.sha256(file.data).hexdigest(),
            [list(one) for one in seen],
            [[name, *found] for name, found in sorted(least(file.real_path).items())],
        ]

    def _fresh(self, entry: dict[str, Any]) -> bool:
        """Whether every module is where it was, and says what it said."""
        lookups = entry["outcome"]["lookups"]
        if any(self._locate(name, root, here) != found for name, root, here, found in lookups):
            return False
        return all(self._digest(path) == digest for path, digest in entry["modules"].items())

    def _locate(self, name: str, root: str, here: str) -> str:
        key = (name, root, here)
        if key not in self._located:
            found = locate(name, Path(root), Path(here))
            self._located[key] = "" if found is None else str(found)
        return self._located[key]

    def _digest(self, path: str) -> str:
        """The digest of what is at a path now, in this run; ``""`` for a folder."""
        if path not in self._digests:
            known = self._files.get(os.path.realpath(path))
            try:
                data = known.data if known is not None else read_regular(path)
                self._digests[path] = hashlib.sha256(data).hexdigest()
            except OSError:
                self._digests[path] = ""
        return self._digests[path]

    def _file(self, path: str) -> SourceFile:
        """The file of a real path, as the run knows it."""
        if path not in self._files:
            from ddplint.project.modules import read_module

            file = read_module(Path(path))
            if file is None:
                raise KeyError(path)
            self._files[path] = file
        return self._files[path]


def _closed(entry: dict[str, Any]) -> bytes:
    """The entry with its digest in front: half an entry, or a changed one, does not pass."""
    body = json.dumps(entry, separators=(",", ":")).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def _opened(data: bytes) -> dict[str, Any]:
    digest, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("damaged")
    entry = json.loads(body)
    if not isinstance(entry, dict):
        raise TypeError("no entry")
    return entry


def _signature() -> str:
    """Changes with Python, with LibCST, and with every file of the tool, of its rule book and of installed rules.

    Their contents count, not their times: a CI installs the same version anew for each run.
    """
    from importlib.metadata import PackageNotFoundError, entry_points, version

    packages = {point.value.partition(":")[0].partition(".")[0] for point in entry_points(group="ddplint.rules")}
    said = [__version__, sys.version, *_stamps({"ddplint", "ddplint_rules", *packages})]
    with suppress(PackageNotFoundError):
        said.append(f"libcst {version('libcst')}")
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()


def _stamps(packages: Iterable[str]) -> Iterator[str]:
    for package in sorted(packages):
        spec = PathFinder.find_spec(package)
        for folder in sorted(spec.submodule_search_locations or ()) if spec is not None else ():
            for place, folders, names in os.walk(folder):
                folders[:] = sorted(name for name in folders if name != "__pycache__")
                yield from (_stamp(os.path.join(place, name), folder) for name in sorted(names))
        if spec is not None and spec.origin:
            yield _stamp(spec.origin, os.path.dirname(spec.origin))


def _stamp(path: str, folder: str) -> str:
    name = os.path.relpath(path, folder)
    try:
        return f"{name} {hashlib.sha256(read_regular(path)).hexdigest()}"
    except OSError:
        return name

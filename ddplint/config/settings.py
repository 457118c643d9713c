"""``[tool.ddplint]`` of pyproject.toml, or ddplint.toml → :class:`Settings`, validated, with clear errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ddplint.config.keys import KEYS, Output, OwnNames, Reader, SettingsError
from ddplint.config.levels import Confidence, Severity
from ddplint.util.regular import read_regular
from ddplint.util.spelling import suggestion

__all__ = [
    "Output",
    "OwnNames",
    "Settings",
    "SettingsError",
    "find_config",
    "load_settings",
    "settings_for",
    "suggestion",
]


@dataclass(frozen=True)
class Settings:
    """What to check and how to report it.

    ``select`` and ``ignore`` hold codes, groups (``DDP1``) or names; an empty ``select`` means every rule. ``root`` is
    the folder that the patterns of ``exclude`` and ``per_file_ignores`` start from. ``extend_select`` are rules to
    check although ``select`` or ``ignore`` leave them out. ``force_exclude``: ``exclude`` also holds for named files.
    ``rules`` are severities and options of single rules. ``nodes`` says on how many nodes jobs run
    (``one``, ``many``, ``unknown``). ``baseline`` is the file of known
    findings, ``diff_base`` the revision since which lines must have changed to be reported. ``jobs`` is how many
    processes may be used (0: one for each CPU), ``seconds_per_file`` the processor time that a file may take (0: as
    much as it wants), ``cache_dir`` where results are kept. ``chosen`` is what the command
    line says, by field: it also wins over the configuration of single folders, unless ``explicit`` says that one
    configuration holds for all of them.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    strict: bool = False
    exit_zero: bool = False
    statistics: bool = False
    show_advice: bool = False
    output_format: str = "full"
    output: tuple[Output, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unsafe_fixes: bool = False
    min_severity: Severity = Severity.ADVICE
    min_confidence: Confidence = Confidence.MEDIUM
    baseline: Path | None = None
    jobs: int = 0
    seconds_per_file: int = 20
    cache: bool = True
    cache_dir: Path | None = None
    diff_base: str = ""
    nodes: str = "unknown"
    knowledge: OwnNames = field(default_factory=OwnNames)
    rules: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    root: Path = field(default_factory=Path)
    config: Path | None = None
    explicit: bool = False
    chosen: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)

    def with_chosen(self, chosen: Mapping[str, Any]) -> Settings:
        """These settings with what the command line says on top; what it ignores is ignored too."""
        known = {name: value for name, value in chosen.items() if value or (name in _NUMBERS and value is not None)}
        if "ignore" in known:
            known["ignore"] = (*self.ignore, *known["ignore"])
        if "extend_select" in known:
            known["extend_select"] = (*self.extend_select, *known["extend_select"])
        if "exclude" in known:
            known["exclude"] = (*self.exclude, *(_from_root(one, self.root) for one in known["exclude"]))
        return replace(self, **known, chosen=chosen)


def _from_root(pattern: str, root: Path) -> str:
    """A gitignore-style pattern of the current folder as one of ``root``; unchanged where that is not above it."""
    try:
        here = Path.cwd().resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return pattern
    if here == ".":
        return pattern
    mark, plain = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    anchored = "/" in plain.rstrip("/")
    return f"{mark}/{here}/{plain.lstrip('/')}" if anchored else f"{mark}/{here}/**/{plain}"


def load_settings(paths: Iterable[str], config: str | None = None) -> Settings:
    """The settings that hold for ``paths``.

    Parameters: ``paths``, what the user asked to check; ``config``, a file to use instead of the nearest one.
    Raises :class:`SettingsError` where the file is missing, is no TOML, or says something unknown.
    """
    if config is not None:
        return replace(_settings(Path(config)), explicit=True)
    found = find_config(paths)
    return Settings() if found is None else _settings(found)


def settings_for(file: str, base: Settings) -> Settings:
    """What holds for one file of a run with the settings ``base``.

    The nearest configuration at or above the file says which rules hold there and which names it knows; how the run
    goes and what it reports is up to ``base``. Raises :class:`SettingsError`.
    """
    return base if base.explicit else _of_folder(os.path.dirname(file), _Key(base))


@dataclass(frozen=True)
class _Key:
    """Settings as a key of a cache: the same only where it is the very object."""

    settings: Settings

    def __hash__(self) -> int:
        return id(self.settings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.settings is self.settings


_NUMBERS = ("jobs", "seconds_per_file")
"""Of these 0 says something, too."""
_OF_RUN = (
    "force_exclude strict exit_zero statistics show_advice output_format output unsafe_fixes baseline diff_base jobs"
    " seconds_per_file cache cache_dir"
).split()


@lru_cache(maxsize=4096)
def _of_folder(folder: str, base: _Key) -> Settings:
    config = base.settings.config
    return _in_folder(Path(os.path.abspath(folder)), config and Path(os.path.abspath(config)), base)


@lru_cache(maxsize=4096)
def _in_folder(folder: Path, known: Path | None, base: _Key) -> Settings:
    run = base.settings
    for name in ("ddplint.toml", "pyproject.toml"):
        file = folder / name
        if known is not None and file == known:
            return run
        if file.is_file() and (name == "ddplint.toml" or _has_table(file)):
            own = _settings(file).with_chosen(run.chosen)
            return replace(own, **{name: getattr(run, name) for name in _OF_RUN})
    top = folder.parent == folder or (known is not None and folder == known.parent)
    return run if top else _in_folder(folder.parent, known, base)


def find_config(paths: Iterable[str]) -> Path | None:
    """The nearest ``ddplint.toml``, or ``pyproject.toml`` with ``[tool.ddplint]``, at or above the given paths.

    Raises :class:`SettingsError` for a ``pyproject.toml`` on the way that is no TOML.
    """
    start = _common_folder(paths)
    for folder in (start, *start.parents):
        own = folder / "ddplint.toml"
        if own.is_file():
            return own
        shared = folder / "pyproject.toml"
        if shared.is_file() and _has_table(shared):
            return shared
    return None


def _common_folder(paths: Iterable[str]) -> Path:
    folders = [_folder_of(Path(path).absolute()) for path in paths if path != "-"]
    if not folders:
        return Path.cwd()
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        return folders[0]


def _folder_of(path: Path) -> Path:
    resolved = Path(os.path.normpath(path))
    return resolved if resolved.is_dir() else resolved.parent


def _has_table(file: Path) -> bool:
    return _mentions_tool(file) and _table(file, required=False) is not None


def _mentions_tool(file: Path) -> bool:
    try:
        return b"ddplint" in read_regular(file)
    except OSError:
        return False


def _table(file: Path, *, required: bool) -> Mapping[str, Any] | None:
    """The table of ddplint in ``file``; ``None`` where a pyproject.toml has none."""
    try:
        data = read_regular(file)
    except OSError as error:
        raise SettingsError(f"{file}: error: cannot be read: {error.strerror or error}") from None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: Mapping[str, Any] = tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: error: not valid TOML: {_plain(error)}") from None
    if file.name != "pyproject.toml":
        return table
    tool = table.get("tool")
    own = tool.get("ddplint") if isinstance(tool, Mapping) else None
    if own is None and required:
        return {}
    if own is not None and not isinstance(own, Mapping):
        raise SettingsError(f"{file}: error: tool.ddplint must be a table")
    return own


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())


def _settings(file: Path) -> Settings:
    values = _values(file, ())
    return Settings(root=file.absolute().parent, config=file, **values)


def _values(file: Path, extending: tuple[Path, ...]) -> dict[str, Any]:
    """The values of a file under their names in :class:`Settings`, on top of those that it extends."""
    table = _table(file, required=True) or {}
    reader = Reader(file, "tool.ddplint." if file.name == "pyproject.toml" else "")
    own = reader.read(table, KEYS)
    for name in ("baseline", "cache_dir"):
        if name in own:
            own[name] = file.absolute().parent / own[name]
    extended = own.pop("extend", None)
    if extended is None:
        return own
    other = Path(os.path.normpath(file.absolute().parent / extended))
    chain = (*extending, file.absolute())
    if other in chain:
        raise reader.error(f"{reader.prefix}extend: {extended} extends this file in turn")
    if not other.is_file():
        raise reader.error(f"{reader.prefix}extend: there is no file {other}")
    return _merged(_values(other, chain), own)


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """``own`` on top of ``base``; of tables both count."""
    merged = {**base, **own}
    if "per_file_ignores" in base and "per_file_ignores" in own:
        merged["per_file_ignores"] = (*base["per_file_ignores"], *own["per_file_ignores"])
    if "rules" in base and "rules" in own:
        merged["rules"] = (*base["rules"], *own["rules"])
    if "knowledge" in base and "knowledge" in own:
        first, second = base["knowledge"], own["knowledge"]
        names = [one.name for one in fields(OwnNames)]
        merged["knowledge"] = OwnNames(*((*getattr(first, name), *getattr(second, name)) for name in names))
    return merged

"""``[tool.ddplint]`` of pyproject.toml, or ddplint.toml → :class:`Settings`, validated, with clear errors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ddplint.config.keys import Output, OwnNames, SettingsError
from ddplint.config.layers import Layers, has_table, layers_of, shared_layers, within
from ddplint.config.levels import Confidence, Severity
from ddplint.config.reasons import Because
from ddplint.config.shared import is_packaged
from ddplint.util.paths import top_folder
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
    ``rules`` are severities and options of single rules, ``certainty`` how sure findings with a reason may be at most
    (``None``: they are left out). ``nodes`` says on how many nodes jobs run (``one``, ``many``, ``unknown``).
    ``baseline`` is the file of known findings, ``diff_base`` the revision since which lines must have changed to be
    reported. ``jobs`` is how many
    processes may be used (0: one for each CPU), ``seconds_per_file`` the processor time that a file may take (0: as
    much as it wants), ``cache_dir`` where results are kept. ``chosen`` is what the command
    line says, by field: it also wins over the configuration of single folders, unless ``explicit`` says that one
    configuration holds for all of them. ``origins`` says which files a setting comes from, by field, and ``sources``
    are all files that were read for it.
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
    show_all: bool = False
    output_format: str = "full"
    output: tuple[Output, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unsafe_fixes: bool = False
    fix_advice: bool = False
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
    certainty: tuple[tuple[Because, Confidence | None], ...] = ()
    root: Path = field(default_factory=Path)
    config: Path | None = None
    explicit: bool = False
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)
    sources: tuple[Path, ...] = field(default=(), compare=False, hash=False)
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
        origins = {**self.origins, **{name: _also(self.origins.get(name), name) for name in known}}
        return replace(self, **known, chosen=chosen, origins=origins)


def _also(origin: str | None, name: str) -> str:
    """Where a setting comes from once the command line says something of it."""
    return f"{origin}, command line" if origin and name in _ADDED else "command line"


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

    Parameters: ``paths``, what the user asked to check; ``config``, a file (or ``package:file``) to use instead of the
    nearest one. What the nearest one leaves open is up to the configuration that the variable ``DDPLINT_CONFIG`` names.
    Raises :class:`SettingsError` where the file is missing, is no TOML, or says something unknown.
    """
    if config is not None:
        root = top_folder() if is_packaged(config) else None
        file = Path(config) if root is None else within(config, root, lambda text: SettingsError(f"error: {text}"))
        return replace(_settings(file, layers_of(file, home=root), root), explicit=True)
    found = find_config(paths)
    shared = shared_layers()
    if found is not None:
        return _settings(found, layers_of(found).over(shared))
    return _settings(shared.files[0], shared, top_folder()) if shared.files else Settings()


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


_ADDED = ("ignore", "extend_select", "exclude")
"""What the command line says of these comes on top of what the configuration says."""
_NUMBERS = ("jobs", "seconds_per_file")
"""Of these 0 says something, too."""
_OF_RUN = (
    "force_exclude strict exit_zero statistics show_advice show_all output_format output unsafe_fixes fix_advice"
    " baseline"
    " diff_base jobs seconds_per_file cache cache_dir"
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
        if os.path.isfile(file) and (name == "ddplint.toml" or has_table(file)):
            own = _settings(file, layers_of(file).over(shared_layers())).with_chosen(run.chosen)
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
        if os.path.isfile(own):
            return own
        shared = folder / "pyproject.toml"
        if os.path.isfile(shared) and has_table(shared):
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
    return resolved if os.path.isdir(resolved) else resolved.parent


def _settings(file: Path, layers: Layers, root: Path | None = None) -> Settings:
    """The settings of a configuration.

    Parameters: ``file``, the one that is named where the configuration is; ``root``, the folder that patterns start
    from (default: the file's own).
    """
    origins = {name: ", ".join(str(one) for one in said) for name, said in layers.origins.items()}
    root = root or file.absolute().parent
    return Settings(root=root, config=file, origins=origins, sources=layers.files, **layers.values)

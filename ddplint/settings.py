"""``[tool.ddplint]`` of pyproject.toml, or ddplint.toml → :class:`Settings`, validated, with clear errors."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ddplint.report import FORMATS
from ddplint.rule import Confidence

__all__ = ["Output", "OwnNames", "Settings", "SettingsError", "find_config", "load_settings", "suggestion"]


class SettingsError(Exception):
    """A configuration or argument that cannot be used; the text is one line for the user."""


@dataclass(frozen=True)
class OwnNames:
    """``[tool.ddplint.knowledge]``: dotted names of the user's own, or ``*.method`` for a method of any object."""

    collectives: tuple[str, ...] = ()
    rank_predicates: tuple[str, ...] = ()
    sanitizers: tuple[str, ...] = ()
    rank_zero_decorators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """One report: a format, and the file it goes to (standard output where ``path`` is empty)."""

    format: str
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Output:
        """``FORMAT`` or ``FORMAT=FILE``. Raises ``ValueError`` with one sentence for the user."""
        name, equals, path = text.partition("=")
        if name not in FORMATS:
            raise ValueError(f"there is no format '{name}' (formats: {', '.join(FORMATS)}){suggestion(name, FORMATS)}")
        if equals and not path:
            raise ValueError(f"'{text}' names no file: write {name}=FILE")
        return cls(name, path)

    def __str__(self) -> str:
        return f"{self.format}={self.path}" if self.path else self.format


@dataclass(frozen=True)
class Settings:
    """What to check and how to report it.

    ``select`` and ``ignore`` hold codes, groups (``DDP1``) or names; an empty ``select`` means every rule. ``root`` is
    the folder that the patterns of ``exclude`` and ``per_file_ignores`` start from.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strict: bool = False
    exit_zero: bool = False
    statistics: bool = False
    output_format: str = "full"
    output: tuple[Output, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unsafe_fixes: bool = False
    min_confidence: Confidence = Confidence.MEDIUM
    knowledge: OwnNames = field(default_factory=OwnNames)
    root: Path = field(default_factory=Path)
    config: Path | None = None


def load_settings(paths: Iterable[str], config: str | None = None) -> Settings:
    """The settings that hold for ``paths``.

    Parameters: ``paths``, what the user asked to check; ``config``, a file to use instead of the nearest one.
    Raises :class:`SettingsError` where the file is missing, is no TOML, or says something unknown.
    """
    if config is not None:
        file = Path(config)
        return _settings(_table(file, required=True) or {}, file)
    found = find_config(paths)
    if found is None:
        return Settings()
    return _settings(_table(found, required=True) or {}, found)


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
        if shared.is_file() and _mentions_tool(shared) and _table(shared, required=False) is not None:
            return shared
    return None


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or nothing where no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


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


def _mentions_tool(file: Path) -> bool:
    try:
        return b"ddplint" in file.read_bytes()
    except OSError:
        return False


def _table(file: Path, *, required: bool) -> Mapping[str, Any] | None:
    """The table of ddplint in ``file``; ``None`` where a pyproject.toml has none."""
    try:
        data = file.read_bytes()
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


def _settings(table: Mapping[str, Any], file: Path) -> Settings:
    reader = _Reader(file, "tool.ddplint." if file.name == "pyproject.toml" else "")
    values = reader.read(table, _KEYS)
    return Settings(root=file.absolute().parent, config=file, **values)


Check = Callable[["_Reader", str, Any], Any]


@dataclass(frozen=True)
class _Reader:
    """Turns TOML values into values of Settings; every refusal names the file and the key."""

    file: Path
    prefix: str

    def read(self, table: Mapping[str, Any], keys: Mapping[str, Check]) -> dict[str, Any]:
        """The table's values under their Python names."""
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in keys:
                raise self.error(f"unknown key '{self.prefix}{key}'{suggestion(key, keys)}")
            values[key.replace("-", "_")] = keys[key](self, key, value)
        return values

    def error(self, message: str) -> SettingsError:
        return SettingsError(f"{self.file}: error: {message}")

    def wrong(self, key: str, expected: str, value: object) -> SettingsError:
        return self.error(f"{self.prefix}{key} must be {expected}, not {_toml_name(value)}")

    def strings(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of strings", value)
        return tuple(value)

    def flag(self, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", value)
        return value

    def output_format(self, key: str, value: Any) -> str:
        if value not in FORMATS:
            raise self.wrong(key, "one of " + ", ".join(f"'{name}'" for name in FORMATS), value)
        return str(value)

    def outputs(self, key: str, value: Any) -> tuple[Output, ...]:
        try:
            return tuple(Output.parse(text) for text in self.strings(key, value))
        except ValueError as error:
            raise self.error(f"{self.prefix}{key}: {error}") from None

    def confidence(self, key: str, value: Any) -> Confidence:
        try:
            return Confidence(value)
        except ValueError:
            raise self.wrong(key, "one of 'high', 'medium', 'low'", value) from None

    def per_file(self, key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table of patterns", value)
        return tuple((pattern, self.strings(f"{key}.'{pattern}'", codes)) for pattern, codes in value.items())

    def own_names(self, key: str, value: Any) -> OwnNames:
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table", value)
        return OwnNames(**_Reader(self.file, f"{self.prefix}{key}.").read(value, _KNOWLEDGE_KEYS))

    def dotted_names(self, key: str, value: Any) -> tuple[str, ...]:
        names = self.strings(key, value)
        for name in names:
            if not all(part.isidentifier() for part in name.removeprefix("*.").split(".")):
                raise self.error(f"{self.prefix}{key}: '{name}' is no dotted name such as 'myproj.dist.gather'")
        return names


_KEYS: Mapping[str, Check] = {
    "select": _Reader.strings,
    "ignore": _Reader.strings,
    "exclude": _Reader.strings,
    "strict": _Reader.flag,
    "exit-zero": _Reader.flag,
    "statistics": _Reader.flag,
    "output-format": _Reader.output_format,
    "output": _Reader.outputs,
    "per-file-ignores": _Reader.per_file,
    "unsafe-fixes": _Reader.flag,
    "min-confidence": _Reader.confidence,
    "knowledge": _Reader.own_names,
}
_KNOWLEDGE_KEYS: Mapping[str, Check] = {
    "collectives": _Reader.dotted_names,
    "rank-predicates": _Reader.dotted_names,
    "sanitizers": _Reader.dotted_names,
    "rank-zero-decorators": _Reader.dotted_names,
}


def _toml_name(value: object) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        odd = next((item for item in value if not isinstance(item, str)), None)
        return "a list" if odd is None else f"a list with {_toml_name(odd)}"
    return "a table" if isinstance(value, Mapping) else str(value)

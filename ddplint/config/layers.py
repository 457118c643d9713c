"""One configuration file with those that it extends: what they say together, and which of them said what."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ddplint.config.keys import KEYS, OwnNames, Reader, SettingsError
from ddplint.config.shared import is_packaged, packaged
from ddplint.util.paths import top_folder
from ddplint.util.regular import read_regular

VARIABLE = "DDPLINT_CONFIG"
"""The variable of the environment that names a configuration for what those of the projects leave open."""
_JOINED = ("per_file_ignores", "rules", "certainty", "knowledge")
"""Of these the extended file and the own one both count."""


@dataclass(frozen=True)
class Layers:
    """``values`` under their names in ``Settings``; ``origins``, the files that said each; all ``files``, own first."""

    values: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def over(self, base: Layers) -> Layers:
        """These on top of ``base``; of tables both count."""
        values = {**base.values, **self.values}
        origins = {**base.origins, **self.origins}
        for name in _JOINED:
            if name in base.values and name in self.values:
                values[name] = _both(base.values[name], self.values[name])
                origins[name] = (*base.origins[name], *self.origins[name])
        return Layers(values, origins, (*self.files, *base.files))


def _both(first: Any, second: Any) -> Any:
    if isinstance(first, OwnNames):
        return OwnNames(*((*getattr(first, one.name), *getattr(second, one.name)) for one in fields(OwnNames)))
    return (*first, *second)


def layers_of(file: Path, chain: tuple[Path, ...] = (), home: Path | None = None) -> Layers:
    """What ``file`` says, on top of what it extends.

    Parameters: ``chain``, the files that extend it; ``home``, the folder that it names other files from (default: its
    own). Raises :class:`SettingsError`.
    """
    table = _table(file, required=True) or {}
    reader = Reader(file, "tool.ddplint." if file.name == "pyproject.toml" else "")
    own = reader.read(table, KEYS)
    for name in ("baseline", "cache_dir"):
        if name in own:
            own[name] = (home or file.absolute().parent) / own[name]
    extended = own.pop("extend", None)
    layers = Layers(own, dict.fromkeys(own, (file,)), (file,))
    if extended is None:
        return layers
    chain = (*chain, file.absolute())
    named = within(extended, file.absolute().parent, lambda text: reader.error(f"{reader.prefix}extend: {text}"))
    if named in chain:
        raise reader.error(f"{reader.prefix}extend: {extended} extends this file in turn")
    return layers.over(layers_of(named, chain, home or (chain[0].parent if is_packaged(extended) else None)))


def within(text: str, folder: Path, refusal: Callable[[str], SettingsError]) -> Path:
    """The configuration that ``text`` names, from ``folder``, or as ``package:file``. Raises ``refusal(reason)``."""
    if is_packaged(text):
        try:
            return packaged(text)
        except LookupError as error:
            raise refusal(str(error.args[0])) from None
    file = Path(os.path.normpath(folder / text))
    if not os.path.isfile(file):
        raise refusal(f"there is no file {file}")
    return file


def shared_layers() -> Layers:
    """What the variable ``DDPLINT_CONFIG`` names, or nothing. Raises :class:`SettingsError`."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return Layers()
    file = within(named, Path.cwd(), lambda text: SettingsError(f"error: {VARIABLE}: {text}"))
    return layers_of(file, home=top_folder())


def has_table(file: Path) -> bool:
    """Whether a pyproject.toml speaks of ddplint. Raises :class:`SettingsError` where it is no TOML."""
    try:
        mentioned = b"ddplint" in read_regular(file)
    except OSError:
        return False
    return mentioned and _table(file, required=False) is not None


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
        raise SettingsError(f"{file}: error: not valid TOML: {' '.join(str(error).split())}") from None
    if file.name != "pyproject.toml":
        return table
    tool = table.get("tool")
    own = tool.get("ddplint") if isinstance(tool, Mapping) else None
    if own is None and required:
        return {}
    if own is not None and not isinstance(own, Mapping):
        raise SettingsError(f"{file}: error: tool.ddplint must be a table")
    return own

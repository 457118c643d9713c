"""Trees of files that do not change between runs: read again in a quarter of the time that a parse takes."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.source.tree_codec import Numbers


_FORM = 3
_MOST = 64_000_000
"""Bytes of a tree that are read at most."""

_kept: Trees | None = None


def keep_in(folder: Path | None) -> None:
    """From now on trees are kept in this folder of the cache, or (``None``) nowhere."""
    global _kept
    _kept = None if folder is None else Trees(folder)


def kept() -> Trees | None:
    """Where trees are kept, if anywhere."""
    return _kept


class Trees:
    """A folder with one entry for each file: which text was parsed last, and, from the second time on, its tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}

    def get(self, path: Path, text: str) -> tuple[cst.Module, Numbers] | None:
        """The tree of just this text, with the numbers of its functions, or ``None``."""
        entry, digest = self._entry(path), _digest(text)
        try:
            with open(entry, "rb") as file:
                first = file.readline().strip()
                self._known[str(path)] = first.decode("ascii")
                if first != digest.encode():
                    return None
                said, body = file.readline().strip(), file.read()
            if not body or hashlib.sha256(body).hexdigest().encode() != said:
                return None
            return _loaded(body)
        except (OSError, ValueError, zlib.error, pickle.UnpicklingError, EOFError, TypeError, AttributeError):
            return None

    def put(self, path: Path, text: str, tree: cst.Module) -> None:
        """Note that a text was parsed; keep its tree where an earlier run has parsed the same."""
        from ddplint.util.atomic import put

        digest = _digest(text)
        lines = [digest.encode()]
        if self._known.get(str(path)) == digest:
            from ddplint.source.tree_codec import dumped

            with suppress(RecursionError, pickle.PicklingError):
                body = zlib.compress(dumped(tree), 1)
                lines += [hashlib.sha256(body).hexdigest().encode(), body]
        with suppress(OSError):
            entry = self._entry(path)
            entry.parent.mkdir(parents=True, exist_ok=True)
            put(entry, b"\n".join(lines))

    def _entry(self, path: Path) -> Path:
        name = hashlib.sha256(os.fsencode(path)).hexdigest()
        return self._folder / name[:2] / name[2:40]


def _digest(text: str) -> str:
    return hashlib.sha256(_form() + text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _form() -> bytes:
    """What else a kept tree hangs on."""
    from importlib.metadata import version

    return f"{_FORM} {sys.version} {version('libcst')}\n".encode()


def _loaded(body: bytes) -> tuple[cst.Module, Numbers]:
    from ddplint.source.tree_codec import loaded

    return loaded(zlib.decompressobj().decompress(body, _MOST))

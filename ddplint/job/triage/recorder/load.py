"""One file → the content of a dump (JSON or pickle). A dump is untrusted: a pickle that names any class is refused."""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ddplint.util.regular import read_regular

LARGEST = 1 << 29
"""Bytes of a dump that is read: the recorder's buffer of 2000 entries with stacks is below a hundredth of it."""

_RANK = re.compile(r"rank[-_.=]?(\d{1,6})(?!\d)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\d)(\d{1,6})(?!\d)")


class DumpError(Exception):
    """A file is no dump, or one that cannot be trusted; the text says which."""


class NoDumpError(DumpError):
    """A file is no dump at all: a log, say, that lies beside them."""


class _Plain(pickle.Unpickler):
    """Numbers, texts, lists and dictionaries only: nothing is imported and nothing is called."""

    def find_class(self, module_name: str, global_name: str) -> NoReturn:
        raise DumpError(f"refused: the pickle names {module_name}.{global_name}, which no dump contains")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise DumpError("refused: the pickle refers to something outside it")


def load_dump(path: Path) -> Mapping[str, Any]:
    """The content of one dump. Raises :class:`DumpError` for anything else than a dump, ``OSError`` if unreadable."""
    if path.stat().st_size > LARGEST:
        raise DumpError("larger than any dump")
    data = read_regular(path)
    try:
        plain = data.lstrip()[:1] == b"{"
        content = json.loads(data) if plain else _Plain(io.BytesIO(data)).load()
    except DumpError:
        raise
    except (Exception, RecursionError, MemoryError) as error:
        raise NoDumpError(f"not a Flight Recorder dump: {type(error).__name__}") from error
    if isinstance(content, list) and content and all(isinstance(entry, dict) for entry in content):
        return {"entries": content}  # as torch 2.1 wrote them
    if not isinstance(content, dict) or not isinstance(content.get("entries"), list):
        raise NoDumpError("not a Flight Recorder dump: it has no entries")
    return content


def rank_of(path: Path) -> int | None:
    """The rank that a file's name tells: behind the word, else the last number of a name that has one."""
    found = _RANK.findall(path.name) or _NUMBER.findall(path.name.split(".")[0]) or _NUMBER.findall(path.name)
    return int(found[-1]) if found else None

"""Flight Recorder dumps (JSON or pickle) → evidence. A dump is untrusted: a pickle that names any class is refused."""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ddplint.job.triage.facts import Code, Evidence, Sign, Stack, Wait
from ddplint.util.regular import read_regular

__all__ = ["DumpError", "load_dump", "read_dumps"]

LARGEST = 1 << 29
"""Bytes of a dump that is read: the recorder's buffer of 2000 entries with stacks is below a hundredth of it."""

Histories = dict[tuple[str, int], dict[int, tuple[str, str]]]


class DumpError(Exception):
    """A file is no dump, or one that cannot be trusted; the text says which."""


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
        raise DumpError(f"not a Flight Recorder dump: {type(error).__name__}") from error
    if not isinstance(content, dict) or not isinstance(content.get("entries"), list):
        raise DumpError("not a Flight Recorder dump: it has no entries")
    return content


def read_dumps(folder: str, evidence: Evidence) -> None:
    """Add the dumps of a folder (or one file) to ``evidence``; unusable files become problems."""
    top = Path(folder)
    paths = sorted(path for path in top.iterdir() if path.is_file()) if top.is_dir() else [top]
    histories: Histories = {}
    for index, path in enumerate(paths):
        try:
            content = load_dump(path)
        except (DumpError, OSError) as error:
            evidence.problems.append(f"{path}: {error}")
            continue
        evidence.dumps += 1
        numbers = re.findall(r"\d{1,6}", path.stem)
        rank = int(numbers[-1]) if numbers else index
        evidence.seen.add(rank)
        _one(rank, content, str(path), evidence, histories)
    _compare(histories, evidence)


def _one(rank: int, content: Mapping[str, Any], where: str, evidence: Evidence, histories: Histories) -> None:
    pending = False
    for entry in _entries(content):
        number, group = entry.get("collective_seq_id"), _group(entry)
        op = str(entry.get("profiling_name", "?")).rpartition(":")[2]
        if isinstance(number, int) and not entry.get("is_p2p"):
            histories.setdefault((group, number), {})[rank] = (op, str(entry.get("input_sizes")))
        if pending or entry.get("retired") or entry.get("state") == "completed":
            continue
        pending = True
        timeout = entry.get("timeout_ms")
        evidence.add(
            Wait(
                rank,
                op.upper(),
                number if isinstance(number, int) else None,
                _elements(entry.get("input_sizes")),
                timeout if isinstance(timeout, int) else None,
                group,
                where,
            )
        )
        frames = tuple(_frames(entry))[::-1]
        if frames:
            evidence.add(Stack(rank, frames, "collective operation timeout", where))


def _entries(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for entry in content["entries"][:100_000]:
        if isinstance(entry, dict):
            yield entry


def _group(entry: Mapping[str, Any]) -> str:
    group = entry.get("process_group")
    return str(group[0])[:80] if isinstance(group, (list, tuple)) and group else ""


def _elements(sizes: Any) -> int | None:
    if not isinstance(sizes, (list, tuple)) or not sizes or not isinstance(sizes[0], (list, tuple)):
        return None
    total = 1
    for length in sizes[0][:16]:
        total *= length if isinstance(length, int) and 0 <= length < 1 << 40 else 1
    return total


def _frames(entry: Mapping[str, Any]) -> Iterator[Code]:
    frames = entry.get("frames")
    for frame in frames[:200] if isinstance(frames, list) else ():
        if isinstance(frame, dict) and isinstance(frame.get("line"), int):
            yield Code(str(frame.get("filename", "")), frame["line"], str(frame.get("name", "")))


def _compare(histories: Histories, evidence: Evidence) -> None:
    """The first collective of a group in which the ranks' records differ."""
    for (group, number), ranks in sorted(histories.items()):
        if len(set(ranks.values())) < 2:
            continue
        told = "; ".join(f"rank {rank}: OpType={op.upper()} {sizes}" for rank, (op, sizes) in sorted(ranks.items()))
        evidence.add(
            Sign(
                "mismatch",
                f"collective #{number} of group {group or '0'} differs: {told[:2000]}",
                where=f"{evidence.dumps} dumps",
            )
        )
        return

"""Dumps as torch writes them, for tests: entries, groups and counts."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ddplint.job.triage.facts import Evidence, Recorded
from ddplint.job.triage.recorder.collecting import read_dumps

WORLD = ("0", "default_pg")


def entry(
    number: int, name: str = "all_reduce", sizes: Sequence[Sequence[int]] = ((4,),), **more: Any
) -> dict[str, Any]:
    """One entry of a collective that is enqueued and not completed; ``more`` replaces fields."""
    paired = name.startswith(("send", "recv"))
    told = {
        "record_id": number,
        "pg_id": 0,
        "process_group": WORLD,
        "collective_seq_id": 0 if paired else number,
        "p2p_seq_id": number if paired else 0,
        "op_id": number,
        "profiling_name": f"nccl:{name}",
        "time_created_ns": number * 10**9,
        "input_sizes": [list(size) for size in sizes],
        "output_sizes": [list(size) for size in sizes],
        "input_dtypes": ["Float"] * len(sizes),
        "output_dtypes": ["Float"] * len(sizes),
        "state": "scheduled",
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None,
        "retired": False,
        "timeout_ms": 600_000,
        "is_p2p": paired,
        "frames": [],
    }
    return {**told, **more}


def done(number: int, name: str = "all_reduce", **more: Any) -> dict[str, Any]:
    """One entry that is completed."""
    return entry(number, name, **{"state": "completed", "retired": True, **more})


def frames(*lines: tuple[str, int]) -> list[dict[str, Any]]:
    """A stack, innermost frame first."""
    return [{"name": "f", "filename": path, "line": line} for path, line in lines]


def dump(
    entries: Sequence[Any],
    groups: Mapping[str, Sequence[int]] = {"0": range(4)},
    counts: Mapping[int, tuple[int, int, int]] | None = None,
) -> dict[str, Any]:
    """The content of one dump: ``counts`` are enqueued, started, completed by the group's own number."""
    status = {
        str(key): dict(
            zip(("last_enqueued_collective", "last_started_collective", "last_completed_collective"), one, strict=True)
        )
        for key, one in (counts or {}).items()
    }
    config = {name: {"name": name, "desc": "", "ranks": str(list(ranks))} for name, ranks in groups.items()}
    return {"version": "2.10", "pg_config": config, "pg_status": status, "entries": list(entries)}


def write(folder: Path, dumps: Mapping[int, Mapping[str, Any]], form: str = "pickle") -> Path:
    """Write them as torch does, and return the folder."""
    folder.mkdir(exist_ok=True)
    for rank, content in dumps.items():
        data = pickle.dumps(content) if form == "pickle" else json.dumps(content).encode()
        (folder / f"nccl_trace_rank_{rank}").write_bytes(data)
    return folder


def told(folder: Path) -> list[Recorded]:
    """What reading the folder comes to."""
    evidence = Evidence()
    read_dumps(str(folder), evidence)
    assert not evidence.problems
    return evidence.recorded

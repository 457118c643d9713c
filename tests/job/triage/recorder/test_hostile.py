"""Dumps that were made to do harm, or that make no sense: bounded time and memory, no exception, nothing invented."""

from __future__ import annotations

import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.recorder.collecting import read_dumps
from tests.job.triage.recorder.written import done, dump, entry, frames, told, write


class Harm:
    """Makes a folder when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.target),)


def test_one_that_calls_is_refused_and_the_others_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "fr", {0: dump([entry(2)], {"0": (0, 1)}), 1: dump([done(1)], {"0": (0, 1)})})
    (folder / "nccl_trace_rank_2").write_bytes(pickle.dumps({"entries": [], "pg_config": Harm(tmp_path / "made")}))
    assert main(["triage", "--dump", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "refused: the pickle names" in out
    assert "rank 1 has nothing pending" in out
    assert not (tmp_path / "made").exists()


def test_a_small_file_that_refers_to_itself_again_and_again(tmp_path: Path) -> None:
    """200 frames in each of 100,000 entries are a few kilobytes of pickle, and must not be millions of frames."""
    one = entry(5, frames=frames(("/job/a.py", 1)) * 200, input_sizes=[[2] * 16] * 4096)
    folder = write(tmp_path / "fr", {0: dump([one] * 100_000)})
    assert (folder / "nccl_trace_rank_0").stat().st_size < 1 << 20
    evidence = Evidence()
    tracemalloc.start()
    read_dumps(str(folder), evidence)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert evidence.recorded
    assert peak < 1 << 28


def test_values_that_hold_themselves(tmp_path: Path) -> None:
    circle: list[Any] = []
    circle.append(circle)
    content: dict[str, Any] = dump([entry(1, input_sizes=circle, frames=circle, process_group=circle)])
    content["pg_status"] = content["pg_config"] = content
    content["entries"].append(content)
    read_dumps(str(write(tmp_path / "fr", {0: content})), Evidence())


def test_ranks_that_cannot_be(tmp_path: Path) -> None:
    """A send to a rank that its group does not have, and a group of more ranks than any job has."""
    group = {"0": (0, 1)}
    dumps = {0: dump([entry(1, "send 0->9999999")], group), 1: dump([done(1)], group)}
    assert told(write(tmp_path / "fr", dumps)) == []
    wide = dump([entry(1)])
    wide["pg_config"] = {"0": {"ranks": str([*range(100), 10**6, 10**18, 10**40])}}
    evidence = Evidence()
    read_dumps(str(write(tmp_path / "wide", {0: wide})), evidence)
    assert evidence.world == 100


def test_a_folder_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "rank_0")
    assert main(["triage", "--dump", str(tmp_path / "pipe")]) == 2
    assert main(["triage", "--dump", str(tmp_path / "none")]) == 2
    assert main(["triage", "--dump", str(tmp_path)]) == 2
    capsys.readouterr()

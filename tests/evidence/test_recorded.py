"""What the Flight Recorder's dumps of a run say about where ranks part, and how they are packed."""

from __future__ import annotations

import pickle
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from fixtures.harness import scrub
from fixtures.harness.configuration import parse
from fixtures.harness.first_gpu import all_kinds, worth
from fixtures.harness.fixture import ROOT, load_all
from fixtures.harness.recorded import Operation, operations, where_they_part

LOGS = ROOT / "results" / "nccl-cuda-logs.tar.gz"

# Decisions, pauses and roots are no operations; of a long broadcast, another part waits than the marked line began.
WITHOUT_A_LINE = {"own_early_stop", "reduced_for_one", "unreadable_sample", "slow_validation"}
WITHOUT_A_LINE |= {"rank_as_root", "resume_over_wire", "barrier_in_the_test"}


def one(number: int, what: str, ended: bool = True, line: int = 0, group: str = "0") -> Operation:
    return Operation(group, number, what, ended, (line,))


def test_the_first_number_at_which_ranks_did_different_things() -> None:
    first = [one(1, "reduce [4]", line=1), one(2, "barrier [1]", line=2), one(3, "reduce [4]", line=3)]
    second = [one(1, "reduce [4]", line=1), one(2, "reduce [4]", line=3), one(3, "barrier [1]", line=2)]
    assert [each.lines for each in where_they_part((first, second))] == [(2,), (3,)]


def test_what_waits_is_told_although_all_did_the_same() -> None:
    same = [one(1, "reduce [4]", ended=False, line=9)]
    assert [each.lines for each in where_they_part((same, same))] == [(9,), (9,)]
    done = [one(1, "reduce [4]")]
    assert not list(where_they_part((done, done)))


def test_groups_count_for_themselves() -> None:
    first = [one(1, "reduce [4]", group="0"), one(1, "gather [1]", group="1", line=5)]
    second = [one(1, "reduce [4]", group="0")]
    assert [each.lines for each in where_they_part((first, second))] == [(5,)]


def test_a_torn_dump_says_nothing(tmp_path: Path) -> None:
    torn = tmp_path / "flight_recorder_rank0"
    torn.write_bytes(pickle.dumps({"entries": []})[:-4])
    assert operations(torn, tmp_path / "train.py") == ()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("nccl")
    with tarfile.open(LOGS) as tar:
        tar.extractall(directory, filter="data")
    return directory


def test_every_hang_on_nccl_parts_or_waits_at_a_marked_line(kept: Path) -> None:
    judged = 0
    for fixture in load_all():
        folder = kept / "logs" / fixture.name / "faulty"
        dumps = sorted(folder.glob("flight_recorder_rank*"))
        if fixture.fault != "hang" or len(dumps) < 2 or fixture.name in WITHOUT_A_LINE:
            continue
        script = Path("/job/fixtures") / fixture.name / "train.py"
        lines = {line for each in where_they_part([operations(d, script) for d in dumps]) for line in each.lines}
        assert lines & {line for line, _ in fixture.expectations()}, fixture.name
        judged += 1
    assert judged >= 10


def test_nothing_of_the_machine_is_left_in_what_was_packed(kept: Path) -> None:
    texts = [path.read_bytes() for path in kept.rglob("*") if path.is_file()]
    assert len(texts) > 200
    named = {place for text in texts for place in re.findall(rb'File "/?([^"/]+)/', text)}
    assert named == {b"job", b"env"}


def test_places_are_taken_out_everywhere() -> None:
    data: Any = {
        "frames": [{"filename": "/home/me/ddplint/fixtures/a/train.py"}],
        "n": 1,
        "t": ("/x/site-packages/t.py",),
    }
    assert scrub.everywhere(data) == {
        "frames": [{"filename": "/job/fixtures/a/train.py"}],
        "n": 1,
        "t": ("/env/lib/python3/site-packages/t.py",),
    }


def test_the_best_comes_first() -> None:
    ordered = sorted(load_all(), key=worth)
    assert ordered[0].fault == "hang"
    assert set(ordered[0].codes) & {"DDP101", "DDP102", "DDP103", "DDP104", "DDP105", "DDP106", "DDP202"}
    assert not ordered[-1].faulty


def test_what_needs_a_gpu_is_run_on_one_only() -> None:
    assert "gpu_memory" in all_kinds(parse("nccl-cuda-2"))
    assert "gpu_memory" not in all_kinds(parse("gloo-cpu-2"))


def test_a_fixture_may_show_another_fault_on_nccl() -> None:
    fixture = next(each for each in load_all() if each.name == "swallowed_evaluation")
    assert fixture.fault == "hang"
    assert fixture.on("gloo") is fixture
    assert (fixture.on("nccl").fault, fixture.on("nccl").error) == ("raises", "Tried to allocate more than 1EB memory")

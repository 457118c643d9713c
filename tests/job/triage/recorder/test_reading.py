"""Files and values: names, texts instead of numbers, and whatever else a dump may hold."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from ddplint.job.triage.facts import Code, Evidence
from ddplint.job.triage.recorder.collecting import read_dumps
from ddplint.job.triage.recorder.load import rank_of
from ddplint.job.triage.recorder.model import Groups
from ddplint.job.triage.recorder.plain import frames, members, number, sizes
from ddplint.job.triage.recorder.reading import read_dump
from tests.job.triage.recorder.written import done, dump, entry, told, write


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_7", 7),
        ("_dump_12", 12),
        ("host_rank3", 3),
        ("node-04_rank3", 3),
        ("gpu17.cluster_rank_130", 130),
        ("rank_3.20240501", 3),
        ("trace_5.json", 5),
        ("dump-rank=2.pkl", 2),
        ("7", 7),
        ("dump", None),
    ],
)
def test_names_of_files(name: str, rank: int | None) -> None:
    assert rank_of(Path("/runs/2024/rank_9") / name) == rank


def test_numbers_may_be_texts() -> None:
    assert [number(one) for one in ("12", "-1", 5, True, "9" * 21, 1 << 80, None, "x", "--5", 1.5)] == (
        [12, -1, 5, None, None, None, None, None, None, None]
    )
    assert members("[0, 2,  10]") == (0, 2, 10)
    assert members([3, 1]) == (1, 3)
    assert members("[[" * 100_000) == ()
    assert members("__import__('os')") == ()
    assert sizes([[2, 3], "x", [-1, 1 << 90]]) == ((2, 3), (), ())


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_both_forms_say_the_same(tmp_path: Path, form: str) -> None:
    dumps = {rank: dump([done(1), entry(2)]) for rank in (0, 1, 2)} | {3: dump([done(1)])}
    (fact,) = told(write(tmp_path / "fr", dumps, form))
    assert (fact.ranks, fact.waiting, fact.number) == ((3,), (0, 1, 2), 2)


def test_whatever_a_field_holds(tmp_path: Path) -> None:
    """Each field of an entry in turn is something else; nothing raises."""
    odd = [None, [], {}, "x", -1, 1 << 70, [[1 << 70]], [None], {"a": 1}, True, ["", ""]]
    fields = entry(1)
    contents = [{**dump([{**fields, name: value}, 5, None]), "pg_status": value} for name in fields for value in odd]
    contents += [{**dump([fields]), "pg_config": value} for value in (*odd, {"0": None}, {"0": {"ranks": "[0"}})]
    for index, content in enumerate(contents):
        read_dump(0, content, "x", 100, Groups())
        folder = write(tmp_path / str(index), {0: content, 1: dump([entry(1)])})
        read_dumps(str(folder), Evidence())


def test_one_rank_twice(tmp_path: Path) -> None:
    folder = write(tmp_path / "fr", {0: dump([entry(2)]), 1: dump([done(1)])})
    (folder / "other_rank_0").write_bytes((folder / "nccl_trace_rank_1").read_bytes())
    evidence = Evidence()
    read_dumps(str(folder), evidence)
    assert evidence.dumps == 2
    assert "set aside" in evidence.problems[0]
    assert "other_rank_0: set aside" in evidence.problems[0]


def test_what_is_pending_is_kept_and_the_newest_of_the_rest() -> None:
    content = dump([entry(1), *(done(number) for number in range(2, 50)), entry(50)])
    kept = read_dump(0, content, "x", 3, Groups())
    assert [op.number for op in kept.ops] == [1, 48, 49, 50]


def test_stacks_of_any_shape_and_equal_ones_as_one() -> None:
    listed: list[dict[str, Any]] = [
        {"name": "g", "filename": "/job/b.py", "line": 9},
        {"name": "f", "filename": "/job/a.py", "line": "7"},
    ]
    assert frames(listed) == (Code("/job/a.py", 7, "f"), Code("/job/b.py", 9, "g"))
    assert frames(listed) is frames([dict(one) for one in listed])
    odd: list[Any] = [
        5,
        {"line": 3},
        {"filename": [], "line": [], "name": {}},
        {"name": "f", "filename": None, "line": 1},
        "x",
    ]
    assert frames(odd) == (Code("", 1, "f"), Code("", 3, ""))
    assert frames(odd[2:4]) == (Code("", 1, "f"),)
    assert frames("x") == frames([]) == ()
    assert len(frames(listed * 1000)) == 200


def test_folders_of_hosts_and_what_else_lies_there(tmp_path: Path) -> None:
    """Names count within a host where the groups that a dump lists say so."""
    for rank in range(4):
        groups = {
            "0": range(4),
            str(1 + rank // 2): (rank // 2 * 2, rank // 2 * 2 + 1),
            str(3 + rank % 2): (rank % 2, rank % 2 + 2),
        }
        content = dump([done(1)] if rank == 3 else [done(1), entry(2)], groups)
        write(tmp_path / f"host{rank // 2}", {rank % 2: content})
    (tmp_path / "host1" / "job.log").write_text("step 1\n")
    (tmp_path / "facts.json").write_text("{}")
    evidence = Evidence()
    read_dumps(str(tmp_path), evidence)
    (fact,) = evidence.recorded
    assert (fact.ranks, fact.waiting, evidence.dumps) == ((3,), (0, 1, 2), 4)
    (problem,) = evidence.problems
    assert "2 other files there, no dumps, set aside" in problem


def test_dumps_of_older_releases(tmp_path: Path) -> None:
    """Torch 2.1 wrote a list, without the groups' names and with one number for all."""
    new = ("process_group", "collective_seq_id", "p2p_seq_id", "op_id", "is_p2p", "retired", "timeout_ms")
    for rank in range(3):
        entries = [done(1)] if rank == 2 else [done(1), entry(2)]
        old = [
            {**{key: value for key, value in one.items() if key not in new}, "seq_id": one["op_id"]} for one in entries
        ]
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(old))
    (fact,) = told(tmp_path)
    assert (fact.group, fact.number, fact.ranks, fact.waiting) == ("default_pg", 2, (2,), (0, 1))

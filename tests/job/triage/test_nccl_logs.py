"""Logs of real jobs on NCCL (``fixtures/gpu``): four ranks of which the last has the fault, and hanging fixtures.

Only the logs are read here; what their dumps say is tested in ``recorder``.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from ddplint.cli.main import main
from fixtures.harness.fixture import ROOT

ARCHIVE = ROOT / "results" / "nccl-cuda-logs.tar.gz"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("nccl")
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            wanted = member.name.endswith(".log") or ("failures/" in member.name and "flight_recorder" in member.name)
            content = archive.extractfile(member) if member.isfile() and wanted else None
            if content is not None:
                path = top / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    return top


def told(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["triage", str(path), "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert isinstance(record, dict)
    return record


@pytest.mark.parametrize(
    ("name", "cause", "ranks"),
    [
        ("absent", "slow", [3]),
        ("crashed", "died", [3]),
        ("extra", "diverged", [3]),
        ("fewer", "slow", [3]),
        ("gpu_assertion", "died", [3]),
        ("gpu_bad_address", "died", [3]),
        ("gpu_memory", "memory", [3]),
        ("gpu_stuck", "transport", []),
        ("killed", "died", [3]),
        ("lock_held", "slow", [3]),
        ("raised", "died", [3]),
        ("ring", "slow", [3]),
        ("sizes", "sizes", [3]),
        ("slow", "slow", [3]),
        ("types", "diverged", [3]),
        # What logs cannot tell: who of two brings less, and who is first where ranks wait for each other in two groups.
        ("one_pair", "diverged", []),
        ("order", "slow", []),
        # A rank that leaves without an error is told of by its peers only.
        ("exited", "transport", []),
        # TORCH_DISTRIBUTED_DEBUG=DETAIL: every rank says what it and another were about to do.
        ("detail-absent", "slow", [3]),
        ("detail-extra", "diverged", [3]),
        ("detail-fewer", "diverged", [3]),
        ("detail-order", "diverged", [3]),
        ("detail-sizes", "sizes", [3]),
        ("detail-types", "sizes", [3]),
        # TORCH_NCCL_DESYNC_DEBUG=1: the report counts the ranks of a small group from 0.
        ("desync-absent", "diverged", [3]),
        ("desync-extra", "diverged", [3]),
        # torch names who did not come to the operation of all: rank 2, which waits in its pair with the culprit.
        ("desync-order", "diverged", []),
        # TORCH_NCCL_BLOCKING_WAIT=1: nothing was written until somebody ended the job.
        ("blocking-absent", "scheduler", []),
        # Jobs that die as trainers do.
        ("accelerate_gather", "diverged", [3]),
        ("another_model", "sizes", [3]),
        ("cancelled", "scheduler", []),
        ("disk_full", "died", [0]),
        ("first_use", "slow", [0]),
        ("first_use_of_group", "slow", [0]),
        ("key_never_set", "slow", [3]),
        ("lone_forward", "diverged", [3]),
        ("memory_in_backward", "memory", [3]),
        ("sharded_fewer_batches", "slow", [3]),
        ("sharded_lone_forward", "diverged", [3]),
        ("sharded_lone_state", "diverged", [0]),
        ("skipped_backward", "slow", [3]),
        ("trainer_evaluates", "diverged", [3]),
        ("trainer_stops", "slow", [3]),
        ("worker_killed", "died", [3]),
        ("worker_raises", "died", [3]),
    ],
)
def test_ways_to_die(name: str, cause: str, ranks: list[int], logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = told(logs / "failures" / name / "job.log", capsys)
    assert (record["cause"], record["culprits"]) == (cause, ranks)


@pytest.mark.parametrize(
    ("name", "cause", "ranks"),
    [
        ("disk_full", "died", [0]),
        ("worker_killed", "died", [3]),
        ("worker_raises", "died", [3]),
        ("exited", "slow", [3]),
    ],
)
def test_who_left_no_dump(
    name: str, cause: str, ranks: list[int], logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log says why a rank died before it could write its recording; where it does not, the recordings count."""
    folder = logs / "failures" / name
    main(["triage", str(folder / "job.log"), "--dump", str(folder), "--output-format", "json"])
    record = json.loads(capsys.readouterr().out)
    assert (record["cause"], record["culprits"]) == (cause, ranks)


def test_groups_of_one_purpose_are_told_apart(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two groups are called ``pair``; what their ranks wait in is not compared across them."""
    record = told(logs / "failures" / "gpu_stuck" / "job.log", capsys)
    waiting = {one["name"]: [wait["rank"] for wait in one["waiting"]] for one in record["groups"]}
    assert {name: sorted(set(ranks)) for name, ranks in waiting.items()} == {
        "default_pg": [0, 1, 2, 3],
        "pair 1": [0, 1],
        "pair 2": [2, 3],
    }


@pytest.mark.parametrize("name", ["swallowed_evaluation", "zero_consolidate"])
def test_a_length_that_was_something_else(name: str, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rank takes what another collective sent for the length of an object, and asks for an exabyte."""
    record = told(logs / "logs" / name / "faulty", capsys)
    assert (record["cause"], record["first_failure"]["rank"]) == ("diverged", 0)
    assert "memory" in record["also"]


@pytest.mark.parametrize(
    "name",
    [
        "accelerate_gather",
        "branch_order",
        "early_return",
        "fsdp_full_state",
        "guarded_barrier",
        "nan_skip",
        "uneven_parts",
    ],
)
def test_ranks_that_part(name: str, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each rank has a log of its own, and the launcher; the folder is given."""
    assert told(logs / "logs" / name / "faulty", capsys)["cause"] == "diverged"


def test_one_rank_is_late(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = told(logs / "logs" / "slow_validation" / "faulty", capsys)
    assert (record["cause"], record["missing"]) == ("slow", [0])

"""No place is called best that the numbers rule out; stacks of the place itself outvote them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.findings.model import Operation
from ddplint.job.triage.places.wire import plain, wires_of

TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
model = DistributedDataParallel(torch.nn.BatchNorm1d(4))
for step in range(10):
    if dist.get_rank() == 0:
        {guarded}
    loss = model(torch.ones(4)).sum()
    loss.backward()
"""
BARRIER = "dist.barrier()"
REDUCED = "dist.all_reduce(torch.ones(400_000_000))"
LINE = (
    "[rank6]:[E717 13:20:49.407 ProcessGroupNCCL.cpp:632] [Rank 6] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=56731, OpType={op}, NumelIn={size}, NumelOut={size}, Timeout(ms)=600000) ran for 600053 "
    "milliseconds before timing out.\n"
)


def places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], guarded: str, log: str
) -> tuple[bool, list[dict[str, object]]]:
    (tmp_path / "train.py").write_text(TRAINER.format(guarded=guarded))
    (tmp_path / "job.log").write_text(log)
    main(["triage", str(tmp_path / "job.log"), "--source", str(tmp_path / "train.py"), "--output-format", "json"])
    told = json.loads(capsys.readouterr().out)
    return told["fits"], told["places"]


def test_a_barrier_is_no_reduction_of_half_a_billion_elements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = LINE.format(op="ALLREDUCE", size=467_019_003)
    fits, found = places(tmp_path, capsys, BARRIER, log)
    assert any("barrier reached by rank 0 only" in str(one["message"]) for one in found)
    assert not any(one["because"] for one in found)
    assert "it is no allreduce of 467,019,003 elements, in which rank 6 waited" in {one["against"] for one in found}
    assert not fits
    fits, found = places(tmp_path, capsys, REDUCED, log)
    assert fits
    assert found[0]["because"] == [
        "an operation of the kind that timed out (allreduce of 467,019,003 elements) is part of it"
    ]


@pytest.mark.parametrize(("op", "size"), [("ALLREDUCE", 1), ("ALLREDUCE", 20), ("BARRIER", 1), ("BROADCAST", 4)])
def test_what_a_barrier_and_a_pass_of_ddp_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], op: str, size: int
) -> None:
    assert places(tmp_path, capsys, BARRIER, LINE.format(op=op, size=size))[0]


@pytest.mark.parametrize("op", ["ALLTOALL_BASE", "GATHER", "SEND"])
def test_another_operation_rules_out(tmp_path: Path, capsys: pytest.CaptureFixture[str], op: str) -> None:
    assert not places(tmp_path, capsys, BARRIER, LINE.format(op=op, size=4))[0]


def test_the_line_itself_outvotes_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rank 6 may wait in what nobody sees; that rank 0 stands in the barrier is in its stack."""
    stack = 'Thread 0x7 (most recent call first):\n  File "/job/train.py", line 9 in <module>\n'
    fits, found = places(tmp_path, capsys, BARRIER, LINE.format(op="ALLREDUCE", size=467_019_003) + stack)
    assert fits
    assert "train.py:9" in str(found[0]["because"])


def test_a_group_of_some_is_not_that_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The operations of the trainer are in the group of all ranks; the dump's is in another."""
    from tests.job.triage.recorder.written import dump, entry, write

    (tmp_path / "train.py").write_text(TRAINER.format(guarded=REDUCED))
    for name, desc, fits in (("0", "default_pg", True), ("7", "tensor_parallel", False)):
        waits = {rank: dump([entry(5, process_group=(name, desc))], {}) for rank in (0, 1)}
        folder = write(tmp_path / name, waits)
        main(["triage", "--dump", str(folder), "--source", str(tmp_path / "train.py"), "--output-format", "json"])
        assert json.loads(capsys.readouterr().out)["fits"] is fits


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("ALLREDUCE", "allreduce"),
        ("_ALLGATHER_BASE", "allgather"),
        ("all_gather_into_tensor_coalesced", "allgather"),
        ("REDUCE_SCATTER_BASE", "reducescatter"),
        ("all_reduce_barrier", "barrier"),
        ("alltoall_base", "alltoall"),
        ("_broadcast_oop", "broadcast"),
    ],
)
def test_spellings_of_operations(spelled: str, name: str) -> None:
    assert plain(spelled) == name


def test_what_is_not_known_rules_nothing_out() -> None:
    assert wires_of(Operation("deepspeed.DeepSpeedEngine.backward", "backward")) is None
    assert wires_of(Operation("accelerate.Accelerator.gather_for_metrics", "collective")) is None
    barrier = wires_of(Operation("accelerate.Accelerator.wait_for_everyone", "collective"))
    assert barrier is not None
    assert {wire.op for wire in barrier} == {"barrier", "allreduce"}

"""Timeouts as releases of torch since 1.9 word them, and what launchers make of the lines.

The shapes are those of public reports (named behind each); ranks, numbers and names are ours.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.verdict import Verdict, judge

RAN = "Timeout(ms)=1800000) ran for 1802212 milliseconds before timing out."
SIZED = f"NumelIn=6, NumelOut=24, {RAN}"


def read(tmp_path: Path, text: str, name: str = "job.log") -> tuple[Verdict, Evidence]:
    path = tmp_path / name
    path.write_text(text + "\n", "utf-8")
    evidence = Evidence()
    read_logs([str(path)], evidence)
    return judge(evidence), evidence


@pytest.mark.parametrize(
    ("line", "seq", "op", "elements"),
    [
        # 1.9 to 1.11, from the library's sources
        (
            (
                f"[E ProcessGroupNCCL.cpp:566] [Rank 3] Watchdog caught collective operation timeout: "
                f"WorkNCCL(OpType=ALLREDUCE, TensorShape=[3, 2], {RAN}"
            ),
            None,
            "ALLREDUCE",
            6,
        ),
        # 1.12 and 1.13: OFA-Sys/OFA 271, aioz-ai/GCD 6
        (
            (
                "[E ProcessGroupNCCL.cpp:737] [Rank 3] Watchdog caught collective operation timeout: "
                f"WorkNCCL(SeqNum=90, OpType=BROADCAST, {RAN}"
            ),
            90,
            "BROADCAST",
            None,
        ),
        # 2.0: zai-org/GLM-130B 132, open-mmlab/mmdetection 12392
        (
            (
                "RuntimeError: NCCL communicator was aborted on rank 3.  Original reason for failure was: [Rank 3] Watchdog "
                f"caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, {RAN}"
            ),
            90,
            "ALLREDUCE",
            None,
        ),
        # 2.1: huggingface/picotron_tutorial 6; behind a progress bar: pytorch/pytorch 118369
        (
            (
                "[E ProcessGroupNCCL.cpp:915] [Rank 3] NCCL watchdog thread terminated with exception: [Rank 3] Watchdog "
                f"caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, {SIZED}"
            ),
            90,
            "ALLREDUCE",
            6,
        ),
        (
            (
                "Epoch 0:   6%|\u2588\u2588    | 32040/500150 [6:28:43<94:39:17, 1.37it/s, loss=2.6][E ProcessGroupNCCL.cpp:458] "
                f"[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, {RAN}"
            ),
            90,
            "ALLREDUCE",
            None,
        ),
        # 2.3: meta-llama/llama-cookbook 567
        (
            (
                "[rank3]:[E ProcessGroupNCCL.cpp:1414] [PG 0 Rank 3] Process group watchdog thread terminated with exception: "
                f"[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=_ALLGATHER_BASE, {SIZED}"
            ),
            90,
            "_ALLGATHER_BASE",
            6,
        ),
        # 2.4 and 2.5: hiyouga/LlamaFactory 6269 and 7396 (the number in front is a line number), sgl-project/sglang 1693
        (
            (
                "[80746] [rank3]:[E1206 18:44:12.715298746 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective "
                f"operation timeout: WorkNCCL(SeqNum=90, OpType=_REDUCE_SCATTER_BASE, {SIZED}"
            ),
            90,
            "_REDUCE_SCATTER_BASE",
            6,
        ),
        (
            (
                "  what():  [PG 3 Rank 3] Process group watchdog thread terminated with exception: [Rank 3] Watchdog caught "
                f"collective operation timeout: WorkNCCL(SeqNum=90, OpType=_ALLGATHER_BASE, {SIZED}"
            ),
            90,
            "_ALLGATHER_BASE",
            6,
        ),
        # 2.6 and later: mlfoundations/open_clip 1024, instructlab/training 520
        (
            (
                "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: "
                f"[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLGATHER, {SIZED}"
            ),
            90,
            "ALLGATHER",
            6,
        ),
        # a name of a machine in front: mila-iqia/milabench 269
        (
            (
                "dinov2.cn-d003.nolog [stderr] [rank3]:[E909 09:55:46.99 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught "
                f"collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLGATHER, {SIZED}"
            ),
            90,
            "ALLGATHER",
            6,
        ),
    ],
)
def test_the_watchdog(tmp_path: Path, line: str, seq: int | None, op: str, elements: int | None) -> None:
    verdict, evidence = read(tmp_path, line)
    (wait,) = evidence.waits
    assert (wait.rank, wait.seq, wait.op, wait.elements, wait.timeout) == (3, seq, op, elements, 1_800_000)
    assert (verdict.cause, verdict.waiting) == ("slow", (3,))


def test_a_line_that_a_terminal_broke(tmp_path: Path) -> None:
    """huggingface/open-r1 620: the line ends in the middle of a field."""
    first = (
        "[rank2]:[E424 01:11:21.16 ProcessGroupNCCL.cpp:629] [Rank 2] Watchdog caught collective operation timeout: "
    )
    _, evidence = read(tmp_path, f"{first}WorkNCCL(SeqNum=4, OpTy\npe=BROADCAST, NumelIn=112, NumelOut=112, {RAN}")
    assert [(wait.rank, wait.seq) for wait in evidence.waits] == [(2, 4)]


@pytest.mark.parametrize(
    "line",
    [
        "[PG 1 Rank 3] Exception (either an error or timeout) detected by watchdog at work: {0}",
        "[PG 0 (default_pg) Rank 3] Timeout at NCCL work: {0}",
        "[PG ID 0 PG GUID 0(default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at work: {0}",
        "[PG ID 0 PG GUID 0(default_pg) Rank 3]  failure detected by watchdog at work sequence id: {0} PG status: {1}",
        "[PG ID 0 PG GUID 0(default_pg) Rank 3] Received a dump signal due to a collective timeout. {1}",
    ],
)
def test_how_far_a_rank_was(tmp_path: Path, line: str) -> None:
    status = "last enqueued work: 7755, last completed work: 7752"
    _, evidence = read(
        tmp_path, line.format("7753, last enqueued NCCL work: 7755, last completed NCCL work: 7752.", status)
    )
    assert [(one.rank, one.enqueued, one.completed) for one in evidence.counted] == [(3, 7755, 7752)]
    _, evidence = read(tmp_path, f"[Rank 3] {status.replace(', last c', ', last started work: 7753, last c')}")
    assert [(one.enqueued, one.started, one.completed) for one in evidence.counted] == [(7755, 7753, 7752)]


@pytest.mark.parametrize(
    "line",
    [
        # facebookresearch/detectron2 3243, lkeab/BCNet 53; 1.9 to 1.13
        (
            "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:136] Timed out waiting 1800000ms "
            "for send operation to complete"
        ),
        # FoundationVision/VNext 9; conda's builds
        (
            "RuntimeError: [/opt/conda/conda-bld/pytorch_1656352430114/work/third_party/gloo/gloo/transport/tcp/"
            "unbound_buffer.cc:84] Timed out waiting 1800000ms for recv operation to complete"
        ),
        # Intellindust-AI-Lab/DEIMv2 65; 2.x. Two ranks writing at once: Peterande/D-FINE 75
        (
            "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv "
            "operation to completeRuntimeError"
        ),
        "RuntimeError: Application timeout caused pair closure",
    ],
)
def test_gloo(tmp_path: Path, line: str) -> None:
    trace = '[rank1]: Traceback (most recent call last):\n[rank1]:   File "/job/train.py", line 9, in step\n[rank1]: '
    verdict, _ = read(tmp_path, trace + line)
    assert (verdict.cause, verdict.waiting, verdict.untold) == ("slow", (1,), (0,))
    assert "diverged" in verdict.also


def test_ranks_of_spawn(tmp_path: Path) -> None:
    """torch.multiprocessing.spawn names the rank in a line of its own, before the traceback: lkeab/BCNet 53."""
    verdict, evidence = read(
        tmp_path,
        "torch.multiprocessing.spawn.ProcessRaisedException:\n\n-- Process 3 terminated with the following error:\n"
        'Traceback (most recent call last):\n  File "/x/site-packages/torch/multiprocessing/spawn.py", line 59, in _wrap\n'
        '    fn(i, *args)\n  File "/job/train.py", line 9, in worker\n    step()\nKeyError: 7\n',
    )
    assert (verdict.cause, verdict.missing) == ("died", (3,))
    assert evidence.stacks[0].own is not None
    assert evidence.stacks[0].own.line == 9


@pytest.mark.parametrize(
    ("how", "code"), [("signal SIGKILL", -9), ("exit code 2", 2), ("signal SIGSEGV", -11), ("signal SIGABRT", -6)]
)
def test_deaths_of_spawn(tmp_path: Path, how: str, code: int) -> None:
    line = f"torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with {how}"
    _, evidence = read(tmp_path, line)
    assert [(death.rank, death.exitcode) for death in evidence.deaths] == [(2, code)]


def test_sizes_that_ranks_do_not_share_over_infiniband(tmp_path: Path) -> None:
    """NVIDIA/nccl 969."""
    line = "node:13:15 [0] transport/net_ib.cc:1038 NCCL WARN NET/IB : req 0/1 tag 0 peer 10.0.0.6<5> collective mismatch error"
    assert read(tmp_path, f"{line}, local size 496640 remote size 65536")[0].cause == "sizes"


def test_what_nccl_ras_tells(tmp_path: Path) -> None:
    """NVIDIA/nccl 1911: the ranks that are listed are those that are ahead or behind."""
    verdict, _ = read(
        tmp_path,
        "#0-0 (fa93) MISMATCH\n  Communicator ranks have different AllGather operation counts\n"
        "  6 ranks have launched up to operation 641\n  2 ranks have launched up to operation 640\n"
        "  Rank 2 -- GPU 4 managed by process 32 on node 10.1.9.1\n  Rank 3 -- GPU 5 managed by process 33 on node 10.1.9.1\n",
    )
    assert verdict.cause == "diverged"
    assert any("different AllGather operation counts" in text for text in verdict.sentences)


def test_the_mismatch_of_two_collectives(tmp_path: Path) -> None:
    """With TORCH_DISTRIBUTED_DEBUG=DETAIL: Lightning-AI/pytorch-lightning 19106."""
    verdict, _ = read(
        tmp_path,
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: CollectiveFingerPrint("
        "SequenceNumber=21, OpType=BROADCAST, TensorShape=[1]), but Rank 0 is running collective: CollectiveFingerPrint("
        "SequenceNumber=21, OpType=BARRIER).",
    )
    assert (verdict.cause, verdict.also) == ("diverged", [])

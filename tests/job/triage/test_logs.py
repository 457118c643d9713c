"""Which class of cause a log leads to. The lines are those that people quoted, and wordings of older releases."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.lines import Block, Log
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.verdict import Verdict, judge

WORK = "WorkNCCL(SeqNum={}, OpType={}, NumelIn={}, NumelOut={}, Timeout(ms)=600000) ran for 600053 milliseconds"
CAUGHT = "Watchdog caught collective operation timeout: "
BARRIER = "[Rank 6] " + CAUGHT + "WorkNCCL(SeqNum=47, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000)"
SUMMARY = f"[Rank 1-7] {CAUGHT}WorkNCCL(SeqNum=70003, OpType=ALLREDUCE, ...)\nran for 600000 milliseconds"
LARGE = (
    f"[rank6]:[E717 13:20:49.407638053 ProcessGroupNCCL.cpp:632] [Rank 6] {CAUGHT}"
    + WORK.format(56731, "ALLREDUCE", 467019003, 467019003)
    + " before timing out."
)
NETWORK = (
    "torch.distributed.DistNetworkError: Failed to recv, got 0 bytes. Connection was likely closed. "
    "Did the remote server shutdown or crash?"
)
CUDA = (
    "RuntimeError: NCCL error 4: unhandled cuda error (run with NCCL_DEBUG=INFO for details)\n"
    "RuntimeError: Timed out initializing process group"
)

DIED = (
    '[rank0]: Traceback (most recent call last):\n[rank0]:   File "/job/train.py", line 7, in step\n'
    "[rank0]: RuntimeError: boom\n"
)


def told(tmp_path: Path, text: str, name: str = "job.log") -> tuple[Verdict, Evidence]:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    evidence = Evidence()
    read_logs([str(path)], evidence)
    return judge(evidence), evidence


@pytest.mark.parametrize(
    ("text", "cause", "also"),
    [
        (BARRIER, "slow", ["transport", "diverged"]),
        (SUMMARY, "slow", ["transport", "diverged"]),
        (LARGE, "slow", ["transport", "diverged"]),
        (NETWORK, "init", []),
        (CUDA, "init", ["hardware", "died"]),
    ],
)
def test_the_lines_people_began_with(tmp_path: Path, text: str, cause: str, also: list[str]) -> None:
    verdict, _ = told(tmp_path, text)
    assert (verdict.cause, verdict.also) == (cause, also)


def test_a_range_of_ranks_leaves_one_of_which_nothing_is_known(tmp_path: Path) -> None:
    verdict, _ = told(tmp_path, SUMMARY)
    assert (verdict.missing, verdict.waiting, verdict.untold) == ((), (1, 2, 3, 4, 5, 6, 7), (0,))
    assert any("of rank 0 nothing is here" in text for text in verdict.sentences)


def test_ranks_without_a_word_are_not_called_missing(tmp_path: Path) -> None:
    verdict, _ = told(tmp_path, LARGE)
    assert (verdict.missing, verdict.waiting, verdict.untold) == ((), (6,), (0, 1, 2, 3, 4, 5))
    verdict, _ = told(tmp_path, LARGE + "".join(f"\n[rank{rank}]: step 7" for rank in range(6)))
    assert (verdict.missing, verdict.untold) == ((0, 1, 2, 3, 4, 5), ())


def test_sizes_say_what_the_operation_is(tmp_path: Path) -> None:
    assert "barrier" in told(tmp_path, BARRIER)[0].operation
    verdict, evidence = told(tmp_path, LARGE)
    assert "1,781.5 MiB" in verdict.operation
    assert (evidence.waits[0].rank, evidence.waits[0].seq, verdict.timeout) == (6, 56731, 600_000)


@pytest.mark.parametrize(
    "line",
    [
        (
            "[E ProcessGroupNCCL.cpp:566] [Rank 3] Watchdog caught collective operation timeout: "
            "WorkNCCL(OpType=ALLREDUCE, TensorShape=[2, 3], Timeout(ms)=1800000) ran for 1802710 milliseconds"
        ),
        (
            "[E ProcessGroupNCCL.cpp:587] [Rank 3] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=9, OpType=ALLREDUCE, TensorShape=[6], Timeout(ms)=1800000) ran for 1802710 milliseconds"
        ),
        (
            "[rank3]:[E710 18:00:32.4 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=6, NumelOut=6, Timeout(ms)=1800000) ran for 1802710 milliseconds"
        ),
        (
            "[rank3]:[E710 18:00:32.4 ProcessGroupNCCL.cpp:757] [PG ID 0 PG GUID 0(default_pg) Rank 3] Watchdog caught "
            "collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=6, NumelOut=6, "
            "Timeout(ms)=1800000) ran for 1802710 milliseconds before timing out."
        ),
    ],
)
def test_wordings_of_the_watchdog(tmp_path: Path, line: str) -> None:
    _, evidence = told(tmp_path, line)
    (wait,) = evidence.waits
    assert (wait.rank, wait.op, wait.elements, wait.timeout) == (3, "ALLREDUCE", 6, 1_800_000)


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("\x1b[31m[rank2]: hello\x1b[0m", 2),
        ("[default1]:hello", 1),
        ("2024-05-01T10:00:00.123456789Z stderr F [rank2]: hello", 2),
        ("[pod/train-0/main] 2024-05-01T10:00:00Z [rank0]: hello", 0),
        ("3: [rank7]: hello", 7),
        ("[1,4]<stderr>:hello", 4),
        ("worker-1  | [rank1]: hello", 1),
        ("hello", None),
    ],
)
def test_prefixes_are_taken_off(text: str, rank: int | None) -> None:
    line = next(iter(Block(Log("x.log"), 1, f"{text}\n".encode()).lines()))
    assert (line.text, line.rank) == ("hello", rank)


def test_different_collectives_are_a_divergence(tmp_path: Path) -> None:
    lines = [f"[rank{rank}]: [Rank {rank}] {CAUGHT}" + WORK.format(5, *more) for rank, more in
             enumerate([("BROADCAST", 10, 10), ("ALLREDUCE", 20, 20)])]  # fmt: skip
    verdict, _ = told(tmp_path, "\n".join(lines))
    assert (verdict.cause, verdict.also) == ("diverged", [])


def test_the_first_death_counts_and_not_the_last_line(tmp_path: Path) -> None:
    log = (
        '[rank2]: Traceback (most recent call last):\n[rank2]:   File "/job/train.py", line 7, in step\n'
        "[rank2]:     x = batch[9]\n[rank2]: IndexError: list index out of range\n"
        '[rank0]: Traceback (most recent call last):\n[rank0]:   File "/job/train.py", line 9, in step\n'
        "[rank0]: RuntimeError: [/pytorch/gloo/pair.cc:553] Connection closed by peer [127.0.0.1]:24999.\n"
    )
    verdict, _ = told(tmp_path, log)
    assert (verdict.cause, verdict.missing, verdict.waiting) == ("died", (2,), (0,))
    assert "IndexError" in verdict.sentences[0]


def test_a_killed_rank(tmp_path: Path) -> None:
    log = (
        "[rank0]: RuntimeError: x Connection closed by peer [10.0.0.1]:2\nRoot Cause (first observed failure):\n"
        "[0]:\n  time      : 2026-11-21_00:28:24\n  host      : a\n  rank      : 5 (local_rank: 1)\n"
        "  exitcode  : -9 (pid: 3601)\n"
    )
    verdict, _ = told(tmp_path, log)
    assert (verdict.cause, verdict.missing) == ("died", (5,))
    assert any("out-of-memory" in text for text in verdict.sentences)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("torch.distributed.DistStoreError: Timed out after 9 seconds waiting for clients. 1/2 clients joined.", "init"),
        ("DistNetworkError: The client socket has timed out after 8000ms while trying to connect to (h, 1).", "init"),
        ("The server socket has failed to listen on any local network address. code: -98, name: EADDRINUSE", "configuration"),
        ("RuntimeError: [enforce fail at device.cc:84] ifa != nullptr. Unable to find address for: eth99", "configuration"),
        ("ValueError: environment variable RANK expected, but not set", "configuration"),
        ("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "init"),
        (("RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: "
         "store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)"), "init"),
        (("what():  [enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. 8 vs 4. Received data size doesn't "
         "match expected size. Is there a distributed collective mismatch in your code?"), "sizes"),
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.", "hardware"),
        ("[E ProcessGroupGloo.cpp:67] [Rank 0]: Ranks 2, 3 failed to pass monitoredBarrier in 4000 ms", "slow"),
        ("- To our best knowledge, ranks [2, 3] are the lagging ranks that caused this timeout.", "diverged"),
        ("DistStoreError: wait timeout after 3000ms, keys: /default_pg/0//1//cpu//0/1", "slow"),
        ("step 100 loss 0.3", "healthy"),
    ],
)  # fmt: skip
def test_classes(tmp_path: Path, line: str, cause: str) -> None:
    verdict, _ = told(tmp_path, line)
    assert verdict.cause == cause
    if "2, 3" in line:
        assert verdict.missing == (2, 3)


def test_files_per_rank_packed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (1, 2):
        line = f"{CAUGHT}{WORK.format(8, 'ALLREDUCE', 1, 1)}\n"
        (tmp_path / f"rank{rank}.log.gz").write_bytes(gzip.compress(line.encode()))
    assert main(["triage", *map(str, sorted(tmp_path.iterdir())), "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["waiting"], record["missing"], record["cause"]) == ([1, 2], [], "slow")


def test_a_healthy_log_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text("rank=0 step=3 loss=0.1\n")
    assert main(["triage", str(tmp_path / "a.log")]) == 0
    assert capsys.readouterr().out.startswith("healthy so far: no failure found; ")


def test_html_escapes_what_the_log_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text(f"[rank0]: <script>alert(1)</script>\n[rank1]: {BARRIER}\n")
    assert main(["triage", str(tmp_path / "a.log"), "--output-format", "html"]) == 1
    out = capsys.readouterr().out
    assert "<script" not in out
    assert "rank 1" in out


def test_the_page_says_what_to_do_next_and_looks_like_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_text(f"[rank1]: {BARRIER}\n")
    assert main(["triage", str(tmp_path / "a.log"), "--output-format", "html"]) == 1
    out = capsys.readouterr().out
    assert "What to do next" in out
    assert "<code>ddplint triage LOG --source DIR</code>" in out
    assert "<code>TORCH_FR_BUFFER_SIZE=2000</code>" in out
    assert "default-src 'none'" in out
    assert "prefers-color-scheme: dark" in out
    assert out.index("What to do next") < out.index("What each rank did last")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[rank1]: {BARRIER}\n", "py-spy dump"),
        (DIED, "traceback of rank 0, which died first"),
    ],
)
def test_the_next_steps_follow_the_cause(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_text(text)
    main(["triage", str(tmp_path / "a.log")])
    out = capsys.readouterr().out
    assert said in out.partition("\nnext:\n")[2]
    main(["triage", str(tmp_path / "a.log"), "--output-format", "json"])
    assert any(said in step for step in json.loads(capsys.readouterr().out)["next"])


def test_gloo_has_no_flight_recorder(tmp_path: Path) -> None:
    from ddplint.job.triage.answer.advice import next_steps

    evidence = Evidence()
    read_logs([str(Path(__file__).parent / "data" / "branch_order.log")], evidence)
    steps = " ".join(next_steps(evidence, judge(evidence), None))
    assert "DEBUG=DETAIL" in steps
    assert "FR_BUFFER" not in steps


def test_an_error_that_was_caught_and_logged_is_not_a_death(tmp_path: Path) -> None:
    caught = (
        '[rank1]: Traceback (most recent call last):\n[rank1]:   File "/job/train.py", line 7, in step\n'
        "[rank1]: ImportError: no module named fast_kernels\n[rank1]: step 1 loss 0.3\n"
    )
    verdict, _ = told(tmp_path, caught + f"[rank1]: [Rank 1] {CAUGHT}" + WORK.format(9, "ALLREDUCE", 20, 20))
    assert (verdict.cause, verdict.waiting, verdict.untold) == ("slow", (1,), (0,))

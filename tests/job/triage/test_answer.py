"""What is said, and in which forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

WAITED = (
    "[rank{0}]:[E717 13:20:49.407 ProcessGroupNCCL.cpp:632] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600053 milliseconds\n"
)
DIED = '[rank2]: Traceback (most recent call last):\n[rank2]:   File "/srv/train.py", line 9, in step\n[rank2]: KeyError: 7\n'


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, form: str = "text") -> str:
    (tmp_path / "job.log").write_text(text)
    main(["triage", str(tmp_path / "job.log"), "--output-format", form])
    return capsys.readouterr().out


def test_one_line_for_alerts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = said(tmp_path, capsys, DIED, "oneline")
    assert line.count("\n") == 1
    assert line.startswith("died | rank 2 | KeyError: 7 (")
    assert line.endswith("job.log:3) | start again: no\n")
    assert said(tmp_path, capsys, "step 1\ntraining finished\n", "oneline") == "healthy\n"
    assert said(tmp_path, capsys, "step 1\n", "oneline") == "healthy so far\n"
    assert said(tmp_path, capsys, "loading the data\n", "oneline") == "not known\n"


def test_what_is_not_known_is_said_and_nobody_is_accused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(tmp_path, capsys, WAITED.format(0) + WAITED.format(3))
    assert "not known: no line of ranks 1 and 2 is here, which does not mean that they did not come" in text
    assert "never" not in text
    assert "give the logs of ranks 1 and 2" in text


def test_a_clean_bill_gives_no_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(tmp_path, capsys, "step 1 loss 2\ntraining finished\n") == "healthy: no failure found\n"


@pytest.mark.parametrize("text", ["step 1 loss 2\n", "loading the data\n"])
def test_without_an_end_nobody_is_called_healthy_without_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    answer = said(tmp_path, capsys, text)
    assert not answer.startswith("healthy:")
    assert "dmesg" in answer
    assert ("the last sign of life: step 1 loss 2" in answer) == text.startswith("step")


def test_what_speaks_against_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(tmp_path, capsys, DIED + "[rank0]: ncclRemoteError: remote process exited\n")
    assert text.startswith("died: ")
    assert "/srv/train.py:9" in text


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("[rank0]: RuntimeError: CUDA error: device-side assert triggered\n", "CUDA_LAUNCH_BLOCKING=1"),
        ("OOMKilled\n", "more host memory"),
        ("Error while creating shared memory segment /dev/shm/nccl-1\n", "--shm-size"),
        ("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n", "take the node of"),
        ("NET/IB: Got completion from peer 10.0.0.4<5> with status=12\n", "the peer and the adapters"),
        ("*** JOB 9 ON n CANCELLED AT 2025-01-01 DUE TO PREEMPTION ***\n", "save often"),
    ],
)
def test_next_steps_follow_from_the_evidence(
    text: str, step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert step in said(tmp_path, capsys, text).partition("\nnext:\n")[2]


def test_the_page_has_the_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = said(tmp_path, capsys, WAITED.format(0) + WAITED.format(1), "html")
    assert "What each group waits in" in page
    assert "ALLREDUCE #5 of 8 elements" in page

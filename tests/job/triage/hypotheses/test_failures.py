"""Died, memory, hardware, scheduler, configuration, start, unknown: which line is the cause, and which follows."""

from __future__ import annotations

import pytest

from ddplint.job.triage.facts import Death
from ddplint.job.triage.hypotheses.weighed import weighed
from tests.job.triage.hypotheses.facts import case, life, raised, sign, wait


@pytest.mark.parametrize(
    ("kind", "text", "cause"),
    [
        ("cuda", "CUDA error: an illegal memory access was encountered", "died"),
        ("crash", "Fatal Python error: Segmentation fault", "died"),
        ("gpu-memory", "torch.OutOfMemoryError: CUDA out of memory", "memory"),
        ("oom", "Out of memory: Killed process 4", "memory"),
        ("shm", "Error while creating shared memory segment /dev/shm/nccl", "memory"),
        ("limit", "can't start new thread", "died"),
        ("hardware", "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus", "hardware"),
        ("hardware", "NVRM: Xid (PCI:0000:3b:00): 13, Graphics Exception", "died"),
        ("time-limit", "CANCELLED AT x DUE TO TIME LIMIT", "scheduler"),
        ("preempted", "DUE TO PREEMPTION", "scheduler"),
        ("duplicate", "Duplicate GPU detected", "configuration"),
        ("ungrouped", "Default process group has not been initialized", "configuration"),
        ("join", "waiting for clients. 1/2 clients joined", "init"),
        ("error", "FrobnicationError: x", "died"),
        ("error", "ERROR no row has this", "unknown"),
    ],
)
def test_one_line(kind: str, text: str, cause: str) -> None:
    found = weighed(case(sign(kind, text, 3)))
    assert found[0].cause == cause
    assert found[0].because


def test_nothing_is_no_hypothesis() -> None:
    assert weighed(case()) == []
    assert weighed(case(life(0), life(1, "training finished", ended=True))) == []


def test_the_first_failure_counts() -> None:
    found = weighed(case(raised(2, "KeyError: 'a'"), raised(0, "ValueError: b")))
    assert found[0].ranks == (2,)
    assert found[0].because[1].startswith("rank 0 also failed")


def test_an_error_that_its_rank_outlived_is_none() -> None:
    assert weighed(case(raised(2, "KeyError: 'a'"), life(2))) == []
    assert weighed(case(raised(2, "KeyError: 'a'"), wait(2)))[0].cause == "slow"


def test_an_error_of_nobody_known_is_over_when_the_job_comes_to_its_end() -> None:
    assert weighed(case(raised(None, "KeyError: 'a'"), life(None, "training finished", ended=True))) == []
    assert weighed(case(raised(None, "KeyError: 'a'"), Death(None, 1)))[0].cause == "died"


def test_a_code_without_a_word_is_told_as_such() -> None:
    (found,) = weighed(case(Death(4, -11, where="x.log:2")))[:1]
    assert (found.cause, found.ranks) == ("died", (4,))
    assert "left no traceback" in found.because[0]


def test_aborts_after_watchdogs_are_consequences() -> None:
    assert weighed(case(wait(0), wait(1), Death(0, -6), Death(1, -6)))[0].cause != "died"


def test_never_started_only_where_nothing_ran() -> None:
    lost = sign("store", "Failed to recv, got 0 bytes")
    assert weighed(case(lost))[0].cause == "init"
    assert all(one.cause != "init" for one in weighed(case(life(0), lost)))


def test_a_port_that_a_restart_finds_taken_is_no_cause() -> None:
    found = weighed(case(life(0), raised(1, "KeyError: 'a'"), sign("port", "address already in use")))
    assert found[0].cause == "died"


def test_a_scheduler_that_cleans_up_is_no_cause() -> None:
    found = weighed(case(raised(1, "KeyError: 'a'"), sign("cancelled", "*** STEP CANCELLED AT x ***")))
    assert found[0].cause == "died"


def test_warnings_alone_are_weak() -> None:
    found = weighed(case(sign("connect", "client socket has failed to connect", level="W")))
    assert found[0].score < 50

"""A difference is told where it arises, and not also where the ranks had parted before and met again."""

from __future__ import annotations

from tests.rules.support import findings

TURNS = """
from contextlib import contextmanager

@contextmanager
def first_goes_first():
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()

def load(path):
    with first_goes_first():
        try:
            return torch.load(path)
        finally:
            print(path)

def train(path, epochs, last, check):
    for epoch in range(epochs):
        if epoch == last:
            load(path)
        {step}

train("data", int(input()), int(input()), input() == "y")
"""


def test_the_turns_before_are_not_to_blame() -> None:
    program = TURNS.format(step="if rank == 0 and check:\n            dist.all_reduce(x)")
    (finding,) = findings(program, "DDP101")
    assert finding.message == "all_reduce reached by rank 0 only"


def test_each_of_two_faults_is_told() -> None:
    program = "if rank == 0:\n    dist.barrier()\nif rank == 1:\n    dist.all_reduce(x)\n"
    assert len(findings(program, "DDP101")) == 2


def test_no_fault() -> None:
    assert findings(TURNS.format(step="dist.all_reduce(x)"), "DDP1") == []


def test_the_fault_behind_the_turns_is_told() -> None:
    program = (
        "if rank != 0:\n    dist.barrier()\nprint(x)\nif rank == 0:\n    dist.barrier()\n"
        "if rank == 0:\n    dist.all_reduce(x)\n"
    )
    (finding,) = findings(program, "DDP101")
    assert finding.message == "all_reduce reached by rank 0 only"


def test_a_fault_between_the_turns_is_told() -> None:
    program = TURNS.format(step="pass") + (
        "with first_goes_first():\n    [dist.barrier() for _ in range(2) if rank & 1]\n"
    )
    assert "barrier reached by ranks 1, 3 only" in [finding.message for finding in findings(program, "DDP101")]

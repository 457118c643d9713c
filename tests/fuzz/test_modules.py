"""Programs of several modules: how they are written, run, and asked about."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.modules import join, split
from tests.fuzz.oracle import Oracle
from tests.fuzz.programs import random_program
from tests.fuzz.tool import ask

PROGRAM = """\
import random
import torch.distributed as dist
from helpers import Every, low
kept = Every(2)
for epoch in range(3):
    loss = random.random()
    if {asked}:
        dist.barrier()
"module helpers"
def low(value):
    return value < 0.5
class Every:
    def __init__(self, every):
        self.every = every
        self.calls = 0
    def tick(self, value):
        self.calls += 1
        return self.calls % self.every == 0
"""
EVERYDAY = {"gate", "keeper", "keywords", "loader", "manager", "module", "retry", "set", "settings", "while-flag"}


def test_lines_keep_their_numbers() -> None:
    texts = split(PROGRAM)
    assert list(texts) == ["", "helpers"]
    assert texts["helpers"].splitlines()[9] == "def low(value):"
    assert join(texts) == PROGRAM


def test_a_program_of_one_module_is_itself() -> None:
    assert split("x = 1\n") == {"": "x = 1\n"}


def test_modules_run_and_what_they_decide_is_true() -> None:
    sources = [PROGRAM.format(asked="kept.tick(loss)"), PROGRAM.format(asked="low(loss)")]
    with Oracle() as oracle:
        truths = [oracle.truth(source) for source in sources]
    assert [truth.diverges for truth in truths] == [False, True]
    assert not any(truth.errors for truth in truths)
    assert [{alarm.line for alarm in answer.alarms} for answer in ask(sources)] == [set(), {8}]


def test_what_trainers_are_made_of_is_written_often() -> None:
    found = Counter(feature for seed in range(500) for feature in random_program(seed).features)
    assert {name: found[name] for name in EVERYDAY if found[name] < 25} == {}

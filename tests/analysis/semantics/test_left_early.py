"""What holds behind a function or a round that some ranks, or some paths, have left early."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

HEAD = "import torch\nimport torch.distributed as dist\n\n"


def codes(tmp_path: Path, program: str) -> list[str]:
    (tmp_path / "train.py").write_text(HEAD + program)
    report = ddplint.check([tmp_path / "train.py"], select=["DDP1"])
    assert not report.errors, [problem.message for problem in report.errors]
    return [finding.code for finding in report.findings]


NOTES = """
class Notes:
    def __init__(self):
        self.best = 0.0
        self.stop = False

    def note(self, value):
        if dist.get_rank() != 0:
            return {nothing}
        if value > self.best:
            self.best = value
        else:
            self.stop = True

def train(values):
    notes = Notes()
    for value in values:
        notes.note(value)
        {agree}
        if notes.stop:
            break
        dist.all_reduce(value)
"""


@pytest.mark.parametrize("nothing", ["", "None"])
def test_what_one_rank_notes_the_others_do_not_know(tmp_path: Path, nothing: str) -> None:
    assert codes(tmp_path, NOTES.format(nothing=nothing, agree="pass")) == ["DDP101"]


def test_what_all_are_told(tmp_path: Path) -> None:
    agree = "told = [notes.stop]; dist.broadcast_object_list(told, src=0); notes.stop = told[0]"
    assert codes(tmp_path, NOTES.format(nothing="", agree=agree)) == []


ROUNDS = """
def train(values):
    first = None
    for value in [1, 2]:
        if dist.get_rank() {test} 0:
            continue
        first = value
    {ask}
"""


@pytest.mark.parametrize("test", ["==", "!="])
def test_what_is_set_in_a_round_that_others_pass_over(tmp_path: Path, test: str) -> None:
    ask = "if first is None:\n        dist.barrier()"
    assert codes(tmp_path, ROUNDS.format(test=test, ask=ask)) == ["DDP101"]
    both = f"{ask}\n    if dist.get_rank() {'!=' if test == '==' else '=='} 0:\n        dist.barrier()"
    assert codes(tmp_path, ROUNDS.format(test=test, ask=both)) == []


LAZY = """
from torch.nn.parallel import DistributedDataParallel as DDP

class Runner:
    def __init__(self, model):
        self.bare = model
        self.wrapped = None

    @property
    def model(self):
        if self.wrapped is None:
            self.wrapped = DDP(self.bare)
        return self.wrapped

    def save(self):
        if dist.get_rank() != 0:
            return
        torch.save(self.model.module.state_dict(), "model.pt")

    def run(self):
        self.save()
        {ask}
        dist.barrier()

def main(model):
    Runner(model).run()
"""


@pytest.mark.parametrize(("ask", "found"), [("print(self.model)", []), ("print(self.bare)", ["DDP102"])])
def test_what_one_rank_makes_first_and_the_others_later(tmp_path: Path, ask: str, found: list[str]) -> None:
    assert codes(tmp_path, LAZY.format(ask=ask)) == found


CHECKED = """
def checked(args):
    if args.resume:
        {then}
    {rest}

def main(args):
    checked(args)
    if dist.get_rank() == 0 or not args.resume:
        dist.broadcast(torch.ones(1), src=0)
"""


@pytest.mark.parametrize(
    ("then", "rest", "found"),
    [
        ("raise RuntimeError('not here')", "print('new')", []),
        ("raise RuntimeError('not here')", "return args.name if args.name else None", []),
        ("print('again')", "print('new')", ["DDP101"]),
        ("return None", "print('new')", ["DDP101"]),
    ],
)
def test_what_a_helper_has_made_sure_of(tmp_path: Path, then: str, rest: str, found: list[str]) -> None:
    assert codes(tmp_path, CHECKED.format(then=then, rest=rest)) == found


FILLED = """
class Runner:
    def __init__(self, settings):
        self.settings = settings
        self.made = None

    @property
    def splits(self):
        return self.settings.get("splits", [])

    def model(self):
        if self.made is None:
            dist.barrier()
            self.made = 1
        return self.made

    def save(self):
        if dist.get_rank() == 0:
            print(self.model())

    def run(self):
        if {asked}:
            self.save()
            for place, split in enumerate(self.splits):
                print(self.model(), place)

Runner(settings).run()
"""


@pytest.mark.parametrize(
    "asked",
    [
        "self.splits",
        "len(self.splits)",
        "len(self.splits) > 0",
        "0 < len(self.splits)",
        "len(self.splits) >= 1",
        "len(self.splits) != 0",
        "not len(self.splits) == 0",
        "not len(self.splits) < 1",
        "bool(self.splits)",
    ],
)
def test_what_is_not_empty_is_gone_over(tmp_path: Path, asked: str) -> None:
    assert codes(tmp_path, FILLED.format(asked=asked)) == []


@pytest.mark.parametrize("asked", ["True", "len(self.splits) >= 0", "not self.splits", "len(self.settings) > 0"])
def test_what_may_be_empty_is_perhaps_not(tmp_path: Path, asked: str) -> None:
    assert codes(tmp_path, FILLED.format(asked=asked)) == ["DDP101"]


TOLD = """
def main(task, settings):
    rank = dist.get_rank()
    {made}
    if policy is not None:
        dist.broadcast(policy.weights, src=0)
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("policy = task.build(settings.model, settings.seed + rank)", []),
        ("policy = task.build(seed=torch.Generator().manual_seed(rank))", []),
        ("policy = task.build(settings.model) if rank == 0 else None", ["DDP101"]),
    ],
)
def test_whether_a_method_that_is_told_the_rank_gives_anything(tmp_path: Path, made: str, found: list[str]) -> None:
    assert codes(tmp_path, TOLD.format(made=made)) == found


MISSING = """
class Job:
    def __init__(self):
        {guard}
            self.log = open("log")

    def step(self, value):
        if getattr(self, "log", None) is not None:
            dist.all_reduce(value)

Job().step(torch.ones(1))
"""


@pytest.mark.parametrize(("guard", "found"), [("if dist.get_rank() == 0:", ["DDP101"]), ("if wanted:", [])])
def test_what_stands_in_for_an_attribute_that_some_ranks_lack(tmp_path: Path, guard: str, found: list[str]) -> None:
    assert codes(tmp_path, MISSING.format(guard=guard)) == found

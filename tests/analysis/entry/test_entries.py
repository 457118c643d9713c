"""Private functions that walked code passes by are no programs of their own."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.analysis.domain import limits
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.source.file import SourceFile
from tests.rules.support import at, file_of, found_in

DUMPER = """\
import os
import torch
import torch.distributed as dist


class Dumper:
    def __init__(self, {option}):
        self.fixed = {fixed}

    def finish(self):
        if dist.get_rank() != 0:
            return
        if self.fixed:
            print("fixed")
        else:
            self.{name}()

    def {name}(self):
        torch.save({{}}, "results.pt")


def main():
    dist.init_process_group("gloo")
    dist.barrier()
    Dumper({given}).finish()
    dist.barrier()


main()
"""


def codes(**parts: str) -> list[str]:
    return [finding.code for finding in found_in(DUMPER.format(**parts), "DDP201", "DDP203")]


@pytest.mark.parametrize(("fixed", "given"), [("fixed", ""), ("fixed", "True")])
def test_a_private_method_behind_a_condition_that_never_holds(fixed: str, given: str) -> None:
    assert codes(option="fixed=True", fixed=fixed, given=given, name="_dump") == []


def test_it_is_walked_where_it_is_called() -> None:
    text = DUMPER.format(option="fixed=True", fixed="fixed", given="False", name="_dump")
    found = found_in(text.replace("        if dist.get_rank() != 0:\n            return\n", ""), "DDP201")
    assert [finding.code for finding in found] == ["DDP201"]


CUT_SHORT = """\
import torch.distributed as dist

seen = 0


def long():
    global seen
    for a in range(3):
        for b in range(3):
            if a == b:
                seen = a
            else:
                dist.barrier()


def main():
    if dist.get_rank() == 0 and not seen:
        dist.barrier()
"""


def test_a_limit_in_one_function_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HARD_STEPS", 60)
    checker = Checker(Settings(select=("DDP101",)))
    report = checker.run([file_of(CUT_SHORT)])
    assert not report.errors
    assert [limit.entry for limit in report.limits] == ["long"]
    assert [finding.place.range.start_line for finding in report.findings] == [18]


LONG = """\
import torch.distributed as dist


def seen():
    return [number * number for number in range(3)]


def test_trainer():
    seen()
    seen()
    if dist.get_rank() == 0:
        dist.barrier()
"""


@pytest.mark.parametrize(("path", "cut"), [("tests/long.py", True), ("test_long.py", True), ("long.py", False)])
def test_a_test_follows_fewer_calls_and_is_judged_all_the_same(
    monkeypatch: pytest.MonkeyPatch, path: str, cut: bool
) -> None:
    monkeypatch.setattr(limits, "TEST_STEPS", 5)
    report = Checker(Settings(select=("DDP101",))).run([SourceFile(path, LONG.encode())])
    said = {limit.text for limit in report.limits if limit.entry == "test_trainer"}
    assert said == ({"step budget used up: further calls are not followed"} if cut else set())
    assert [finding.place.range.start_line for finding in report.findings] == [12]


SELDOM_MADE = """\
import torch.distributed as dist


class Trainer:
    def __init__(self, store):
        if dist.is_initialized():
            self.first = dist.get_rank() == 0
        else:
            self.first = True
        if self.first{also}:
            dist.barrier()

    def train(self, steps):
        return steps
"""


@pytest.mark.parametrize(("also", "codes"), [("", ["DDP101"]), (" or dist.is_initialized()", [])])
def test_what_makes_an_object_is_compared_where_nobody_makes_one(also: str, codes: list[str]) -> None:
    assert [one.code for one in found_in(SELDOM_MADE.format(also=also), "DDP101")] == codes


CALLED_ON_ONE_RANK = """\
import shutil
import torch.distributed as dist


class Trainer:
    def __init__(self, folder):
        dist.init_process_group("gloo")
        self.folder = folder

    def check(self, score):
        self.remove()

    def remove(self):
        shutil.rmtree("out")

    def train(self, steps, model):
        model.train()
        if dist.get_rank() == 0:
            self.check(model.score)
"""


def test_methods_of_other_objects_are_none_of_its_own() -> None:
    """``train`` is called on a model only, so that it is a program; it says who calls ``check``."""
    assert found_in(CALLED_ON_ONE_RANK, "DDP201") == []
    assert found_in(CALLED_ON_ONE_RANK.replace("get_rank() == 0", "get_rank() >= 0"), "DDP201")


UNCALLED = """
import torch.distributed as dist

def train(*batches, rank=0, world_size=1, **options):
    BODY
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("if world_size > 1:\n        if rank == 0:\n            dist.barrier()", ["dist.barrier()"]),
        ("if world_size > 1 and rank == 0:\n        dist.barrier()", ["dist.barrier()"]),
        ("for batch in batches:\n        if rank == 0:\n            dist.barrier()", ["dist.barrier()"]),
        ("if world_size > 1:\n        dist.barrier()", []),
        ("for batch in batches:\n        dist.barrier()", []),
    ],
)
def test_nobody_knows_how_a_function_is_called_that_nobody_calls(body: str, told: list[str]) -> None:
    assert at(UNCALLED.replace("BODY", body), "DDP1") == told


CALLED = """
import os
import torch.distributed as dist

def setup(rank=None, world_size=1):
    dist.init_process_group("gloo", rank=rank, world_size=4)
    if rank is not None or world_size > 1:
        if dist.get_rank() == 0:
            dist.barrier()

CALL
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("setup()", []),
        ("setup(int(os.environ['RANK']))", ["dist.barrier()"]),
        ("setup(world_size=4)", ["dist.barrier()"]),
    ],
)
def test_what_a_call_leaves_out_is_the_default(call: str, told: list[str]) -> None:
    assert at(CALLED.replace("CALL", call), "DDP1") == told


OF_CASES = """
import torch.distributed as dist

class Saver:
    def __init__(self, model, form="torch", keep=-1, folder="out"):
        self.model, self.form = model, form
        self.keep: int = keep
        self.folder = folder

    def save(self, step, level=0, name="model"):
        if {asked} and dist.get_rank() == 0:
            dist.barrier()

def save(step, form="torch", keep=-1, folder="out"):
    if {asked_here} and dist.get_rank() == 0:
        dist.barrier()

{made}
"""
MET = "dist.barrier()"


@pytest.mark.parametrize(
    ("asked", "asked_here", "made", "told"),
    [
        ("self.form == 'safetensors'", "False", "", [MET]),
        ("self.form in ('safetensors', 'both')", "False", "", [MET]),
        ("self.keep > 0", "False", "", [MET]),
        ("self.keep != -1", "False", "", [MET]),
        ("level >= 2", "False", "", [MET]),
        ("False", "form == 'safetensors'", "", [MET]),
        ("False", "'safetensors' == form", "", [MET]),
        ("False", "keep > 0", "", [MET]),
        ("self.form == 'safetensors'", "False", "Saver(None).save(1)", []),
        ("self.form == 'safetensors'", "False", "Saver(None, form='safetensors').save(1)", [MET]),
        ("level >= 2", "False", "Saver(None).save(1)", []),
        ("False", "form == 'safetensors'", "save(1)", []),
        ("False", "folder is None", "", []),
        ("self.folder is None", "False", "", []),
        ("not name", "False", "", []),
    ],
)
def test_a_default_that_is_compared_is_one_case_of_several(
    asked: str, asked_here: str, made: str, told: list[str]
) -> None:
    assert at(OF_CASES.format(asked=asked, asked_here=asked_here, made=made), "DDP1") == told


def test_a_default_that_nobody_compares_is_what_it_is() -> None:
    program = """
    import torch
    import torch.distributed as dist

    def save(model, path="model.pt", step=0):
        dist.all_reduce(model.weight)
        if step == 1000:
            print("late")
        torch.save(model.state_dict(), path)
        dist.barrier()
    """
    assert len(found_in(textwrap.dedent(program), "DDP201")) == 1

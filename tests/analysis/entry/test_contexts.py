"""Functions and methods are judged on the ranks that come by: those that name the function, or make the object."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

TRAIN = """\
import torch.distributed as dist
from loggers import *

def main(hooks):
    dist.init_process_group("nccl")
    {make}
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    main([])
"""
LOGGERS = """\
import torch
import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

class Board:
    def __init__(self, folder="runs"):
        self.writer = SummaryWriter(folder)
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()

    def on_end(self, state):
        torch.save(state, "last.pt")
        dist.barrier()
"""
NOTE = (
    LOGGERS.partition("class")[0]
    + """\
Board = print

def note(state):
    dist.barrier()
    torch.save(state, "note.pt")
"""
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def lines(project: Path, make: str, loggers: str = LOGGERS, path: str = ".") -> list[tuple[str, int]]:
    (project / "loggers.py").write_text(loggers)
    (project / "train.py").write_text(TRAIN.format(make=make))
    report = check([path], Settings())
    assert report.errors == []
    return [
        (one.code, one.place.range.start_line)
        for one in report.findings
        if one.place.file.path == "loggers.py" and one.code in ("DDP101", "DDP201")
    ]


EVERYWHERE = "hooks.append(Board().on_end)"
BY_RANK_0 = "board = Board() if dist.get_rank() == 0 else None\n    hooks.append(board)"


def test_methods_of_an_object_that_every_rank_makes_are_run_by_every_rank(project: Path) -> None:
    assert ("DDP201", 12) in lines(project, EVERYWHERE)


@pytest.mark.parametrize("path", [".", "loggers.py"])
def test_methods_of_an_object_that_rank_0_makes_are_run_by_rank_0(project: Path, path: str) -> None:
    assert lines(project, BY_RANK_0, path=path) == []


def test_what_rank_0_makes_in_a_circle_of_modules_is_its_own(project: Path) -> None:
    circle = LOGGERS.replace("class Board", "import train\n\nclass Board")
    assert lines(project, BY_RANK_0, circle) == []


def test_the_objects_of_a_subclass_are_objects_of_its_base(project: Path) -> None:
    derived = LOGGERS.replace("class Board", "class Base") + "class Board(Base):\n    pass\n"
    assert lines(project, BY_RANK_0, derived) == []


def test_a_function_that_every_rank_hands_on_is_run_by_every_rank(project: Path) -> None:
    assert lines(project, "hooks.append(note)", NOTE) == [("DDP201", 9)]


def test_a_function_that_rank_0_hands_on_is_run_by_rank_0(project: Path) -> None:
    assert lines(project, "if dist.get_rank() == 0:\n        hooks.append(note)", NOTE) == []


def test_where_one_program_makes_it_everywhere_all_ranks_come_by(project: Path) -> None:
    (project / "other.py").write_text(TRAIN.format(make=EVERYWHERE))
    assert ("DDP201", 12) in lines(project, BY_RANK_0)


def test_a_function_of_rank_0_alone_is_not_compared_with_the_others(project: Path) -> None:
    assert not [one for one in lines(project, BY_RANK_0) if one[0] == "DDP101"]


TOOL = "from loggers import save\n\nif __name__ == '__main__':\n    save({}, int(__import__('os').environ['RANK']))\n"
PROGRAM = """\
import torch.distributed as dist
from loggers import save

if __name__ == "__main__":
    dist.init_process_group("nccl")
    save({}, dist.get_rank())
    dist.barrier()
    dist.destroy_process_group()
"""
SAVE = """\
import os
import torch
import torch.distributed as dist

def save(state, rank):
    os.makedirs("out")
"""


def of_many_callers(project: Path, programs: dict[str, str], loggers: str = SAVE) -> list[tuple[str, str]]:
    (project / "loggers.py").write_text(loggers)
    for name, text in programs.items():
        (project / f"{name}.py").write_text(text)
    report = check(["loggers.py"], Settings())
    return [(one.code, one.confidence.value) for one in report.findings if one.code == "DDP201"]


def test_of_many_callers_the_programs_of_several_processes_are_followed(project: Path) -> None:
    programs = {f"tool{number}": TOOL for number in range(6)} | {"train": PROGRAM}
    assert of_many_callers(project, programs) == [("DDP201", "high")]


@pytest.mark.parametrize(("count", "confidence"), [(1, "high"), (6, "medium")])
def test_where_callers_were_left_out_no_finding_is_sure(project: Path, count: int, confidence: str) -> None:
    idle = "import loggers\nfrom loggers import save\n\nif __name__ == '__main__':\n    getattr(loggers, 'train')\n"
    programs = {f"tool{number}": f"RANK = 'RANK'\n{idle}" for number in range(count)}
    own = PROGRAM.replace("from loggers import save", SAVE).replace('if __name__ == "__main__":', "def train():")
    assert of_many_callers(project, programs, own) == [("DDP201", confidence)]

"""What a call says is done by one process is not done by several, whatever other programs do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

WORKER = """\
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, world_size, model):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = torch.nn.parallel.DistributedDataParallel(model)
    torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    {start}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def saves(project: Path, text: str, name: str = "train.py") -> list[int]:
    (project / name).write_text(text)
    report = check(["."], Settings())
    assert report.errors == []
    return [one.place.range.start_line for one in report.findings if one.code == "DDP201"]


@pytest.mark.parametrize(
    "start",
    [
        "work(0, 1, torch.nn.Linear(2, 2))",
        "work(rank=0, world_size=1, model=torch.nn.Linear(2, 2))",
        "mp.spawn(work, (1, torch.nn.Linear(2, 2)), nprocs=1)",
    ],
)
def test_a_call_for_one_process_is_made_by_one(project: Path, start: str) -> None:
    assert saves(project, WORKER.format(start=start)) == []


@pytest.mark.parametrize(
    "start",
    [
        "work(int(__import__('os').environ['RANK']), 4, torch.nn.Linear(2, 2))",
        "mp.spawn(work, (torch.cuda.device_count(), torch.nn.Linear(2, 2)), nprocs=torch.cuda.device_count())",
        "mp.spawn(work, (2, torch.nn.Linear(2, 2)), nprocs=2)",
    ],
)
def test_several_processes_are_several(project: Path, start: str) -> None:
    assert saves(project, WORKER.format(start=start)) == [8]


def test_a_call_for_debugging_beside_one_that_starts_several_hides_nothing(project: Path) -> None:
    both = "work(0, 1, None) if __import__('sys').argv[1:] else mp.spawn(work, (2, None), nprocs=2)"
    assert saves(project, WORKER.format(start=both)) == [8]


AGENT = """\
import os
import unknown
import torch
from train import train

def sweep():
    torch.save({}, "sweep.pt")
    train(torch.nn.Linear(2, 2))

if __name__ == "__main__":
    {before}sweep()
"""
TRAIN = """\
import os
import torch
import torch.distributed as dist
RANK = int(os.getenv("RANK", -1))

def train(model):
    model = torch.nn.parallel.DistributedDataParallel(model)
    if RANK in {-1, 0}:
        print("rank 0")

if __name__ == "__main__":
    dist.init_process_group("nccl")
    train(torch.nn.Linear(2, 2))
"""


def agent(project: Path, before: str) -> list[int]:
    (project / "train.py").write_text(TRAIN)
    return saves(project, AGENT.replace("{before}", before), "sweep.py")


def test_a_program_that_makes_no_group_but_wraps_a_model_is_one_process(project: Path) -> None:
    assert agent(project, "") == []


def test_what_nobody_could_follow_may_have_made_the_group(project: Path) -> None:
    assert agent(project, "unknown.setup_distributed()\n    ") == [7]


ONE_GROUP = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def check(model, batches):
    model = DistributedDataParallel(model)
    if dist.get_rank() == 0:
        dist.barrier()

def main(func):
    if torch.cuda.device_count() > 1:
        exit()
        dist.init_process_group("nccl")
    dist.init_process_group("nccl", world_size={size}, rank=0)
    func()

if __name__ == "__main__":
    main(print)
"""


@pytest.mark.parametrize(("size", "count"), [("1", 0), ("2", 1), ("int(__import__('os').environ['WORLD_SIZE'])", 1)])
def test_a_script_whose_only_group_is_of_one(project: Path, size: str, count: int) -> None:
    (project / "check.py").write_text(ONE_GROUP.format(size=size))
    assert [one.code for one in check(["."], Settings()).findings if one.code == "DDP101"] == ["DDP101"] * count


SERVED = """\
import torch
import torch.distributed as dist
from {package} import {base}

class Predictor({base}):
    def setup(self):
        dist.init_process_group("nccl")
        torch.save({{}}, "state.pt")
    def predict(self, text):
        torch.save(torch.randn(2), "out.pt")
        return text
"""


@pytest.mark.parametrize(
    ("package", "base", "count"), [("cog", "BasePredictor", 0), ("litserve", "LitAPI", 0), ("models", "Base", 1)]
)
def test_a_server_is_one_process(project: Path, package: str, base: str, count: int) -> None:
    assert len(saves(project, SERVED.format(package=package, base=base))) >= count
    assert count or not saves(project, SERVED.format(package=package, base=base))

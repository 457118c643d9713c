"""DDP205 where no walk of a program comes to the code, and calls lead there from one of several processes."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

TRAIN = """\
import importlib
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from files import lock
from tasks import Task

def is_first():
    return dist.get_rank() == 0

def train(task: Task):
    rank, first = dist.get_rank(), is_first()
    {}
    net = DDP(torch.nn.Linear(4, 4))
    for x in task.batches:
        net(x).sum().backward()
    dist.barrier()

def main():
    dist.init_process_group("gloo")
    train(importlib.import_module(sys.argv[1]).build(sys.argv[2]))

if __name__ == "__main__":
    main()
"""
TASKS = """\
class Task:
    batches = ()
    def load(self, split, folder="data"):
        raise NotImplementedError
    def __getitem__(self, index):
        raise NotImplementedError
"""
LINES = """\
import os
import numpy as np
import torch
from tasks import Task

class Lines(torch.utils.data.Dataset):
    def __init__(self, path):
        cache = path + ".index.npy"
        if os.path.exists(cache):
            self.index = np.load(cache)
        else:
            self.index = self.count(path)
            {}

    def count(self, path):
        with open(path) as file:
            return np.array([len(line) for line in file])

class Texts(Task):
    def __init__(self, folder):
        self.folder = folder
    def load(self, split, folder="data"):
        for name in sorted(os.listdir(os.path.join(folder, split))):
            self.lines = Lines(os.path.join(folder, split, name))

    def __getitem__(self, index):
        return Lines(os.path.join(self.folder, str(index)))

def build(folder):
    return Texts(folder)

def share(items, rank, world_size):
    return items[rank::world_size]
"""
SAVE = "np.save(cache, self.index)"


def _found(tmp_path: Path, call: str, save: str = SAVE, train: str = TRAIN) -> list[str]:
    (tmp_path / "train.py").write_text(train.format(call))
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "lines.py").write_text(LINES.format(save))
    (tmp_path / "files.py").write_text("def lock(path):\n    return open(path)\n")
    return [one.message for one in ddplint.check([tmp_path / "lines.py"], select=["DDP205"]).findings]


@pytest.mark.parametrize(
    "call",
    [
        'task.load("train")',
        "split = sys.argv[3]\n    task.load(split, folder=sys.argv[4])",
        'if len(sys.argv) > 3:\n        task.load("valid")',
        'for split in ("train", "valid"):\n        task.load(split)',
    ],
)
def test_all_ranks_come_by(call: str, tmp_path: Path) -> None:
    [message] = _found(tmp_path, call)
    assert message == "every rank tests for the same path, then writes it (np.save)"


@pytest.mark.parametrize(
    "call",
    [
        'if rank == 0:\n        task.load("train")',
        'if is_first():\n        task.load("train")',
        'if first:\n        task.load("train")',
        'if not is_first():\n        return\n    task.load("train")',
        'is_first() and task.load("train")',
        'with lock("data.lock"):\n        task.load("train")',
        'task.load(f"train{rank}")',
        'name = f"train{dist.get_rank()}"\n    task.load(name)',
        'task.load("train", folder=str(rank))',
        "split = sys.argv[3]\n    if rank:\n        split = split + str(rank)\n    task.load(split)",
        'print("nobody loads")',
        "for batch in task.batches:\n        task.load(batch)",
        "names = torch.utils.data.DataLoader(SET)\n    for name in names:\n        task.load(name)",
        "task[3]",
    ],
)
def test_who_comes_by_or_with_what_is_not_sure(call: str, tmp_path: Path) -> None:
    assert _found(tmp_path, call) == []


def test_a_program_of_one_process(tmp_path: Path) -> None:
    lines = TRAIN.splitlines(keepends=True)
    alone = "".join(line for line in lines if "dist." not in line and "rank" not in line and "first" not in line)
    assert (
        _found(
            tmp_path, 'task.load("train")', train=alone.replace("DDP(torch.nn.Linear(4, 4))", "torch.nn.Linear(4, 4)")
        )
        == []
    )


def test_who_starts_the_ranks(tmp_path: Path) -> None:
    text = TRAIN.replace('dist.init_process_group("gloo")\n', "").replace(
        "    main()\n", "    start(importlib.import_module(sys.argv[1]).build(sys.argv[2]))\n"
    )
    parent = "def start(task: Task):\n    task.load('train')\n    torch.multiprocessing.spawn(main, nprocs=4)\n\n"
    assert _found(tmp_path, "pass", train=text.replace("if __name__", parent + "if __name__")) == []


@pytest.mark.parametrize("save", ["pass", 'np.save(f"{cache}.{os.getpid()}.npy", self.index)'])
def test_what_is_written_is_not_what_was_asked_for(save: str, tmp_path: Path) -> None:
    assert _found(tmp_path, 'task.load("train")', save) == []


ASKED = "    def load(self, split, folder='data', index=False):\n        if index:\n            "


@pytest.mark.parametrize(
    "call", ['task.load("train")', 'task.load("train", index=False)', 'task.load("train", "x", 0)']
)
def test_what_nobody_asks_for(call: str, tmp_path: Path) -> None:
    assert _asked_for(tmp_path, call) == []


@pytest.mark.parametrize(
    "call", ['task.load("train", index=True)', 'task.load("train", "x", 1)', 'task.load("train", index=sys.argv[3])']
)
def test_what_is_asked_for(call: str, tmp_path: Path) -> None:
    assert len(_asked_for(tmp_path, call)) == 1


@pytest.mark.parametrize("line", ["index = self.folder", "index, other = self.folder"])
def test_what_is_asked_for_anyway(line: str, tmp_path: Path) -> None:
    set_anew = ASKED.replace("        if", f"        {line}\n        if")
    assert len(_asked_for(tmp_path, 'task.load("train")', set_anew)) == 1


def _asked_for(tmp_path: Path, call: str, asked: str = ASKED) -> list[str]:
    """What is found where a parameter, which is kept on the object, says whether there is to be an index."""
    kept = asked.replace("        if", "        self.index = index\n        if", 1)
    begin = '    def load(self, split, folder="data"):\n        for name'
    text = LINES.replace(begin, begin.replace(begin.partition("for")[0], kept))
    text = text.replace("            self.lines = Lines(", "                self.lines = Lines(")
    (tmp_path / "lines.py").write_text(text.format(SAVE))
    (tmp_path / "train.py").write_text(TRAIN.format(call))
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "files.py").write_text("def lock(path):\n    return open(path)\n")
    return [one.message for one in ddplint.check([tmp_path / "lines.py"], select=["DDP205"]).findings]

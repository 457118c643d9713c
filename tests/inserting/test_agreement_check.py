"""``--insert agreement-check``: where the check goes, what it compares, and where it does not go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from tests.inserting.support import added, inserted

NAME = "agreement-check"
START = """\
import argparse
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

"""
LOOP = """\
    for epoch in range({bounds}):
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()
"""
MAIN = """\
def main():
    args = argparse.ArgumentParser().parse_args()
    dist.init_process_group("gloo")
    model = DDP(torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    paths = [1.0, 2.0]
    loader = DataLoader(paths, sampler=DistributedSampler(paths))
    start = 0
"""
CALL = "\n\nmain()\n"


def last(before: str, tmp_path: Path) -> str:
    return added(before, inserted(NAME, before, tmp_path))[-1].strip()


def test_settings_bounds_weights_and_data(tmp_path: Path) -> None:
    before = START + MAIN + LOOP.format(bounds="start, args.epochs") + CALL
    assert last(before, tmp_path) == "check_agreement(settings=args, start=start, weights=model, data=paths)"


def test_settings_that_a_function_is_handed(tmp_path: Path) -> None:
    text = MAIN.replace("def main():\n    args = argparse.ArgumentParser().parse_args()\n", "def train(options):\n")
    before = START + text + LOOP.format(bounds="3") + "\n\ntrain(argparse.ArgumentParser().parse_args())\n"
    assert last(before, tmp_path) == "check_agreement(settings=options, weights=model, data=paths)"


def test_a_loop_over_steps(tmp_path: Path) -> None:
    loop = LOOP.format(bounds="3").replace("for epoch in range(3)", "while start < 9")
    before = START + MAIN + loop + "        start += 1\n" + CALL
    assert last(before, tmp_path) == "check_agreement(settings=args, start=start, weights=model, data=paths)"


HANDED = """\
def train(model, loader, optimizer, start):
    for epoch in range(start, 9):
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()


def main():
    dist.init_process_group("gloo")
    model = DDP(torch.nn.Linear(1, 1))
    train(model, DataLoader([1.0, 2.0]), torch.optim.SGD(model.parameters(), 0.1), 0)
"""


def test_a_model_that_the_loop_calls(tmp_path: Path) -> None:
    assert last(START + HANDED + CALL, tmp_path) == "check_agreement(start=start, weights=model)"


def test_a_model_that_an_object_has(tmp_path: Path) -> None:
    text = """\
class Trainer:
    def __init__(self):
        self.model = DDP(torch.nn.Linear(1, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)

    def fit(self, loader):
        for batch in loader:
            self.model(batch).sum().backward()
            self.optimizer.step()


def main():
    dist.init_process_group("gloo")
    Trainer().fit(DataLoader([1.0, 2.0]))
"""
    assert last(START + text + CALL, tmp_path) == "check_agreement(weights=self.model)"


def test_a_model_that_is_not_always_a_copy_on_each_rank(tmp_path: Path) -> None:
    """Where the function gets a model in shards, too, whose parts differ, the weights are not compared."""
    sharded = """\
    model = FSDP(torch.nn.Linear(1, 1))
    train(model, DataLoader([1.0, 2.0]), torch.optim.SGD(model.parameters(), 0.1), 0)
"""
    imported = "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
    assert last(imported + START + HANDED + sharded + CALL, tmp_path) == "check_agreement(start=start)"


def test_what_the_loop_makes_itself_is_not_at_hand(tmp_path: Path) -> None:
    text = HANDED.replace("        for batch", "        model = DDP(torch.nn.Linear(1, 1))\n        for batch")
    assert last(START + text + CALL, tmp_path) == "check_agreement(start=start)"


@pytest.mark.parametrize(
    "program",
    [
        "def main():\n    dist.init_process_group('gloo')\n    for epoch in range(3):\n        dist.barrier()\n",
        MAIN
        + "    if dist.get_rank() == 0:\n"
        + LOOP.format(bounds="3").replace("    ", "        ").replace("model(", "model.module("),
    ],
)
def test_no_place_for_it(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.py"
    path.write_text(START + program + CALL)
    main(["--insert", NAME, str(path)])
    assert path.read_text() == START + program + CALL
    assert "agreement-check: no place for it" in capsys.readouterr().err


def test_one_process_and_no_group_are_left_alone(tmp_path: Path) -> None:
    """The function alone, called in a process without a group: it returns before it looks at anything."""
    pytest.importorskip("torch")
    after = inserted(NAME, START + MAIN + LOOP.format(bounds="3") + CALL, tmp_path)
    function = after[after.index("def check_agreement") : after.index("def main")]
    script = tmp_path / "alone.py"
    heads = "import os\nfrom os import environ\nfrom hashlib import sha1\nimport torch.distributed as dist\n"
    script.write_text(heads + function + "\ncheck_agreement(settings=object(), weights=None)\nprint('went on')\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.stdout == "went on\n", done.stderr

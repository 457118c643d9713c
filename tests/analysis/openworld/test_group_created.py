"""``dist.is_initialized()`` in the code that makes the process group, and what a launcher hands to what it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint import check
from tests.rules.support import at, found_in

SAVED = 'if dist.get_rank() == 0:\n    torch.save({}, "x")\n'
HEAD = "import os\nimport torch\nimport torch.distributed as dist\n\n"

ASKS = {
    "guard": """
def setup():
    if not dist.is_initialized():
        dist.init_process_group("nccl")
        torch.cuda.set_device(dist.get_rank())
setup()
""",
    "early return": """
def setup():
    if dist.is_available() and dist.is_initialized():
        return
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
setup()
""",
    "helper method": """
class World:
    def __init__(self):
        self.on = self._start() if not dist.is_initialized() else False
    def _start(self):
        dist.init_process_group("nccl")
        self.rank = dist.get_rank()
        torch.cuda.set_device(self.rank)
        return True
world = World()
""",
    "import of the parent": """
import torch.distributed
def setup():
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl")
        torch.cuda.set_device(torch.distributed.get_rank())
setup()
""",
}


@pytest.mark.parametrize("how", ASKS)
def test_the_code_that_makes_the_group_is_walked(how: str) -> None:
    told = [one.message for one in found_in(HEAD + ASKS[how] + SAVED, "DDP403")]
    assert any("the global rank as the number of a device" in one for one in told)
    bound = ASKS[how].replace("dist.get_rank()", 'int(os.environ["LOCAL_RANK"])')
    bound = bound.replace("torch.distributed.get_rank()", 'int(os.environ["LOCAL_RANK"])')
    assert not any("the global rank" in one.message for one in found_in(HEAD + bound + SAVED, "DDP403"))


def test_once_it_is_made_it_is_there() -> None:
    """Asked again, it is there; whoever does not make it finds it there."""
    program = """
def is_main():
    return not dist.is_initialized() or dist.get_rank() == 0
def main():
    if not dist.is_initialized():
        dist.init_process_group("gloo")
    if dist.is_initialized():
        dist.barrier()
    if is_main():
        torch.save({}, "x.pt")
    if is_main():
        dist.barrier()
main()
"""
    assert at(HEAD + program, "DDP1", "DDP2") == ["dist.barrier()"]


def test_a_function_that_makes_none_finds_it_there() -> None:
    program = """
def reduce(x):
    if not dist.is_initialized():
        return x
    if dist.get_rank() == 0:
        dist.all_reduce(x)
    return x
"""
    assert at(HEAD + program, "DDP1") == ["dist.all_reduce(x)"]


SPAWNED = """
import torch.multiprocessing as mp

class Saver:
    def __init__(self, number):
        self.first = number == 0
    def save(self, state):
        if self.first:
            torch.save(state, "x.pt")

def worker(number, world_size, settings):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:1", rank=number, world_size=world_size)
    Saver(number).save({})
    if number == 0:
        dist.barrier()

def main(settings):
    settings.check(1)
    raise SystemExit
    LAUNCH
"""


@pytest.mark.parametrize(
    "launch", ["mp.spawn(worker, args=(4, settings), nprocs=4)", "mp.spawn(fn=worker, args=(4, settings), nprocs=4)"]
)
def test_what_a_launcher_starts_gets_the_number_of_the_process(launch: str) -> None:
    """Also where no walk comes to the call: the first parameter is not one that all processes share."""
    assert at(HEAD + SPAWNED.replace("LAUNCH", launch), "DDP1", "DDP2") == ["dist.barrier()"]


def test_what_is_merely_called_with_it_does_not() -> None:
    assert at(HEAD + SPAWNED.replace("LAUNCH", "settings.register(worker, 3)"), "DDP1") == []


OWN_FLAG = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--distributed", action="store_true")
args = p.parse_args()
if args.distributed:
    dist.init_process_group("gloo")

def get_rank():
    if not args.distributed:
        return 0
    return dist.get_rank()

def save_model(path):
    if get_rank() != 0:
        return
    torch.save({}, path)

save_model("x.pt")
"""


def test_one_process_alone_may_write() -> None:
    """Where the program is not distributed, whoever comes behind the early return is alone."""
    assert at(HEAD + OWN_FLAG, "DDP2") == []
    unguarded = OWN_FLAG.replace("    if get_rank() != 0:\n        return\n", "")
    assert at(HEAD + unguarded, "DDP2") == ["torch.save({}, path)"]


@pytest.mark.parametrize(
    ("how", "call"),
    [
        ("from helpers import begin", "begin()"),
        ("from helpers.impl import begin as start", "start()"),
        ("import helpers", "helpers.begin()"),
        ("import helpers.impl", "helpers.impl.begin()"),
    ],
)
def test_the_helper_that_makes_it_may_stand_in_another_file(how: str, call: str, tmp_path: Path) -> None:
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "__init__.py").write_text("from .impl import begin\n")
    made = 'import torch.distributed as dist\n\ndef begin():\n    dist.init_process_group("nccl")\n'
    (tmp_path / "helpers" / "impl.py").write_text(made)
    asks = (
        f"{how}\nif not dist.is_initialized():\n    {call}\n"
        "    torch.cuda.set_device(dist.get_rank())\n    torch.zeros(1).cuda()\n"
    )
    (tmp_path / "train.py").write_text(HEAD + asks + SAVED)
    told = [one.message for one in check([tmp_path / "train.py"]).findings if one.code == "DDP403"]
    assert any("the global rank as the number of a device" in one for one in told)
    (tmp_path / "helpers" / "impl.py").write_text(
        "import torch.distributed as dist\n\ndef begin():\n    dist.get_rank()\n"
    )
    assert [one for one in check([tmp_path / "train.py"]).findings if one.code == "DDP403"] == []

"""A number of a module that its functions set: whoever is entered apart finds it set, not as it stands there."""

from __future__ import annotations

from tests.rules.support import at

COMM = """\
import torch
import torch.distributed as dist
_rank, _size, _step = 0, 1, 0
_rank = 0
_size = 1
_step = 0
def rank():
    return _rank
def setup(number):
    global _rank, _size
    dist.init_process_group("gloo")
    _rank = {rank}
    _size = dist.get_world_size()
def count():
    global _step
    _step += 1
"""


def _found(body: str, *codes: str, rank: str = "dist.get_rank()") -> list[str]:
    return at(COMM.format(rank=rank) + body, *codes)


def test_the_getter_of_the_rank() -> None:
    body = "class Saver:\n    def save(self, x):\n        if rank() == 0:\n            dist.all_reduce(x)\n"
    assert _found(body, "DDP101") == ["dist.all_reduce(x)"]


def test_one_rank_saves() -> None:
    body = "def save():\n    if rank() == 0:\n        torch.save({}, 'a.pt')\n    dist.barrier()\n"
    assert _found(body, "DDP2", "DDP101") == []
    assert _found(body, "DDP2", "DDP101", rank="number") == []


def test_the_number_of_ranks() -> None:
    body = "def mean(x):\n    if _size > 1:\n        dist.all_reduce(x)\n    return x\n"
    assert _found(body, "DDP1") == []


def test_a_count_is_not_known_but_alike() -> None:
    body = "def log(x):\n    count()\n    if _step % 10 == 0:\n        dist.all_reduce(x)\n"
    assert _found(body, "DDP1") == []


def test_what_is_behind_a_count_is_walked() -> None:
    body = "def log(x):\n    if _step > 10 and dist.get_rank() == 0:\n        dist.all_reduce(x)\n"
    assert _found(body, "DDP101") == ["dist.all_reduce(x)"]


def test_the_program_itself_begins_with_what_stands_there() -> None:
    body = "if _step == 0:\n    setup(0)\n    dist.barrier()\nif _step > 0 and rank() == 0:\n    dist.barrier()\n"
    assert _found(body, "DDP101") == []


def test_what_is_left_to_other_modules_to_set() -> None:
    """``LEADER`` is asked for, and nothing here sets it: whoever is entered apart does not know that it is ``None``."""
    body = """LEADER = None
def save(x):
    if LEADER is None and rank() > 0:
        raise ValueError
    dist.all_reduce(x)
"""
    assert _found(body, "DDP1") == []


def test_a_default_that_nobody_asks_for_stays() -> None:
    body = "LIMIT = None\ndef save(x):\n    if rank() == 0 and not LIMIT:\n        dist.all_reduce(x)\n"
    assert _found(body, "DDP101") == ["dist.all_reduce(x)"]

"""``locals()`` and what is done with it: names of a function become attributes of an object."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import json
import os
import torch.distributed as dist

class Data:
    def __init__(self, folder, rank=-1, task="train"):
        {take}
        if self.task.capitalize() == "Val":
            with open("out.json", "w") as f:
                json.dump({{}}, f)

def main():
    dist.init_process_group("gloo")
    Data("x", dist.get_rank(), task={task})
    dist.barrier()

if __name__ == "__main__":
    main()
"""

TAKES = {
    "its dictionary": "self.__dict__.update(locals())",
    "vars": "vars(self).update(vars())",
    "one by one": "for name, value in locals().items(): setattr(self, name, value)",
}


@pytest.mark.parametrize("take", TAKES.values(), ids=TAKES)
def test_a_constant_goes_through_the_names_of_a_function(take: str) -> None:
    assert found_in(PROGRAM.format(take=take, task="'train'"), "DDP201") == []


@pytest.mark.parametrize("take", TAKES.values(), ids=TAKES)
@pytest.mark.parametrize("task", ["'val'", "os.environ['TASK']"])
def test_what_may_be_is_walked(take: str, task: str) -> None:
    assert [one.place.range.start_line for one in found_in(PROGRAM.format(take=take, task=task), "DDP201")] == [9]


def test_names_that_nobody_knows_may_replace_any() -> None:
    take = "self.task = task; self.__dict__.update(load(folder))"
    assert len(found_in(PROGRAM.format(take=take, task="'train'"), "DDP201")) == 1


ALONE = """\
import json
import torch.distributed as dist

class Data:
    def __init__(self, folder, rank=-1):
        {take}
        self.first = self.rank in (-1, 0)
        self.read()

    def read(self):
        if self.first:
            with open("out.json", "w") as f:
                json.dump({{}}, f)
        if dist.is_initialized():
            dist.barrier()
"""


@pytest.mark.parametrize("take", ["self.rank = rank", *TAKES.values()])
def test_a_default_that_is_compared_is_one_case(take: str) -> None:
    assert found_in(ALONE.format(take=take), "DDP2") == []

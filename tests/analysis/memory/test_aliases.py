"""Classes whose objects share one ``__dict__``."""

from __future__ import annotations

import pytest

from tests.rules.support import at, found_in

PROGRAM = """\
import os
import torch
import torch.distributed as dist


class Manager:
    state = {{}}

    {maker}
        {given}.__dict__ = {owner}.state
        {last}

    @classmethod
    def is_ready(cls):
        return cls.state.get("ready", False)

    @staticmethod
    def setup():
        Manager.state["ready"] = True
        manager = Manager()
        manager.place = int(os.environ["RANK"])
        dist.init_process_group("gloo", rank=manager.place, world_size=8)


def save(model):
    if not Manager.is_ready():
        Manager.setup()
    if Manager().place == 0:
        torch.save(model, "x.pt")


def main(model):
    Manager.setup()
    for batch in model.data:
        loss = model(batch)
        if loss.item() < 3:
            save(model)
        dist.all_reduce(loss)
    if Manager().place == 0:
        dist.barrier()


main(torch.nn.Linear(1, 1))
"""
MAKERS = {
    "__init__": {"maker": "def __init__(self):", "given": "self", "owner": "self", "last": "pass"},
    "the class by its name": {"maker": "def __init__(self):", "given": "self", "owner": "Manager", "last": "pass"},
    "__new__": {
        "maker": "def __new__(cls):\n        made = super().__new__(cls)",
        "given": "made",
        "owner": "cls",
        "last": "return made",
    },
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_one_object_has_all_have(name: str) -> None:
    assert at(PROGRAM.format(**MAKERS[name]), "DDP1") == ["dist.barrier()"]


def test_objects_with_a_dict_of_their_own_do_not_share() -> None:
    own = PROGRAM.format(**MAKERS["__init__"]).replace("self.__dict__ = self.state", "self.state = dict(self.state)")
    assert "DDP101" not in [one.code for one in found_in(own, "DDP1")]

"""What annotations say of objects of the project's own classes, and what they leave open."""

from __future__ import annotations

import pytest

from tests.rules import support

TRAINER = """\
from __future__ import annotations
from abc import ABC, abstractmethod
from typing import Optional
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, options, model):
        self.options = options
        self.rank = dist.get_rank()
        self.model = DDP(model)
        self.count = 0

    @property
    def is_main(self):
        return self.rank == 0

    def step(self):
        self.count += 1
        return self.count

    def gather(self, value):
        dist.all_reduce(value)


class Team(ABC):
    @property
    @abstractmethod
    def number(self) -> int: ...

    @abstractmethod
    def meet(self) -> None: ...


class Alone(Team):
    @property
    def number(self):
        return 0

    def meet(self):
        pass


class Together(Team):
    def __init__(self):
        self._number = dist.get_rank()

    @property
    def number(self):
        return self._number

    def meet(self):
        dist.barrier()

"""

GUARDED = """

def work(it: {kind}, value):
    if {test}:
        {call}
"""

FOUND = {
    "a property": ("Trainer", "it.is_main", "it.gather(value)", "DDP101"),
    "an attribute": ("Trainer", "it.rank == 0", "dist.barrier()", "DDP101"),
    "in a string": ("'Trainer'", "it.is_main", "it.gather(value)", "DDP101"),
    "or None": ("Trainer | None", "it.is_main", "it.gather(value)", "DDP101"),
    "optional": ("Optional[Trainer]", "it is not None and it.is_main", "it.gather(value)", "DDP101"),
    "the only subclass that speaks to others": ("Team", "it.number == 0", "it.meet()", "DDP101"),
}
QUIET = {
    "who calls it is not known": ("Trainer", "value", "it.gather(value)"),
    "a counter is not what it was at first": ("Trainer", "it.is_main and it.count > 0", "it.step()"),
    "a subclass that is alone": ("Alone", "it.number == 0", "it.meet()"),
    "no class that is known": ("Other", "it.is_main", "it.gather(value)"),
    "one of two classes": ("Trainer | Team", "it.is_main", "it.gather(value)"),
}


def found_in(text: str, code: str) -> list[str]:
    return [one.code for one in support.found_in(text, code)]


@pytest.mark.parametrize("name", FOUND)
def test_what_the_class_of_an_annotation_says(name: str) -> None:
    kind, test, call, code = FOUND[name]
    assert found_in(TRAINER + GUARDED.format(kind=kind, test=test, call=call), code) == [code]


@pytest.mark.parametrize("name", QUIET)
def test_what_it_does_not_say(name: str) -> None:
    kind, test, call = QUIET[name]
    assert found_in(TRAINER + GUARDED.format(kind=kind, test=test, call=call), "DDP101") == []


HELD = """

class Report:
    owner: Trainer

    def __init__(self, trainer: Trainer):
        self.trainer = trainer

    def end(self, value):
        if self.{held}.is_main:
            self.{held}.gather(value)
"""


@pytest.mark.parametrize("held", ["owner", "trainer"])
def test_objects_that_another_one_holds(held: str) -> None:
    assert found_in(TRAINER + HELD.format(held=held), "DDP101") == ["DDP101"]


def test_making_a_stand_in_accuses_nobody() -> None:
    made = TRAINER.replace("        self.count = 0\n", "        if self.rank == 0:\n            dist.barrier()\n")
    assert found_in(made, "DDP101") == ["DDP101"]
    asked = GUARDED.format(kind="Trainer", test="value", call="it.gather(value)")
    assert found_in(made + asked, "DDP101") == ["DDP101"]


OPEN = """
import torch.distributed as dist
from abc import ABC, abstractmethod


class Base(ABC):
    {decorator}
    def score(self, batch):
        {body}

    @property
    {decorator}
    def is_main(self):
        {body}

    def train(self, loader, value):
        for batch in loader:
            self.score(batch)
        if {test}:
            dist.all_reduce(value)
"""
WHOLE = """

class Plain(Base):
    def score(self, batch):
        return 0

    @property
    def is_main(self):
        return dist.get_rank() == 0
"""
LEFT = {
    "abstract": ("@abstractmethod", "pass"),
    "an ellipsis": ("@abstractmethod", "..."),
    "not implemented": ("", "raise NotImplementedError"),
    "not implemented, with a word": ("", "raise NotImplementedError('in a subclass')"),
}


@pytest.mark.parametrize("left", LEFT)
def test_what_a_class_leaves_open_ends_no_path(left: str) -> None:
    decorator, body = LEFT[left]
    written = OPEN.format(decorator=decorator, body=body, test="dist.get_rank() == 0")
    assert found_in(written, "DDP101") == ["DDP101"]
    assert found_in(OPEN.format(decorator=decorator, body=body, test="self.is_main"), "DDP101") == []


@pytest.mark.parametrize("left", LEFT)
def test_a_subclass_in_the_file_says_what_is_left_open(left: str) -> None:
    decorator, body = LEFT[left]
    written = OPEN.format(decorator=decorator, body=body, test="self.is_main") + WHOLE
    assert found_in(written, "DDP101") == ["DDP101"]


SETTINGS = """
import os
import torch
import torch.distributed as dist
from dataclasses import dataclass


class Part:
    folder: str

    def keep(self, folder):
        torch.save({}, os.path.join(folder, "part.pt"))


@dataclass
class Whole:
    part: Part
    folder: str = "out"


def main(settings: Whole):
    dist.init_process_group("nccl")
    settings.part.keep(settings.folder)
    dist.barrier()
"""


def test_parts_of_what_an_annotation_promises() -> None:
    assert found_in(SETTINGS, "DDP201") == ["DDP201"]


@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("from torch import distributed as td", "td."),
        ("from torch.distributed import barrier, get_rank", ""),
        ("import torch", "torch.distributed."),
    ],
)
def test_a_subclass_speaks_to_others_by_any_name(imported: str, called: str) -> None:
    written = TRAINER.replace("import torch.distributed as dist\n", imported + "\n").replace("dist.", called)
    asked = GUARDED.format(kind="Team", test="it.number == 0", call="it.meet()")
    assert found_in(written + asked, "DDP101") == ["DDP101"]


def test_a_method_on_one_line_is_no_open_one() -> None:
    written = OPEN.format(decorator="@abstractmethod", body="...", test="self.is_first()")
    written += "\n    def is_first(self): return dist.get_rank() == 0\n"
    assert found_in(written, "DDP101") == ["DDP101"]


GIVEN = """
from elsewhere import build


def main():
    dist.init_process_group()
    work(build(), dist.get_rank())


main()
"""


@pytest.mark.parametrize(("kind", "found"), [("Trainer", ["DDP101"]), ("Other", [])])
def test_what_a_caller_has_from_elsewhere(kind: str, found: list[str]) -> None:
    asked = GUARDED.format(kind=kind, test="it.is_main", call="it.gather(value)")
    assert found_in(TRAINER + asked + GIVEN, "DDP101") == found


def test_something_unknown_or_nothing() -> None:
    """What a caller hands on may be ``None`` on another path; the annotation speaks of the rest."""
    call = (
        "\n\ndef make(text, fast):\n    if fast:\n        return parse(text)\n    return None\n"
        "\n\ndef main(text, fast):\n    work(make(text, fast), text)\n"
    )
    alone = "\nclass Single:\n    is_main = True\n\n    def gather(self, value):\n        return value\n"
    asked = GUARDED.format(kind="Trainer", test="it.is_main", call="it.gather(value)")
    assert found_in(TRAINER + alone + "from elsewhere import parse\n" + asked + call, "DDP101") == ["DDP101"]

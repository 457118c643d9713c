"""What annotations of parameters and attributes say of the objects of libraries."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

START = """\
from __future__ import annotations
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Optional, Union
import deepspeed
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

"""

GUARDED = "    if dist.get_rank() == 0:\n        {call}\n"

NAMES = {
    "the class": ("deepspeed.DeepSpeedEngine", "it.save_checkpoint('x')", "DDP202"),
    "in a string": ("'deepspeed.DeepSpeedEngine'", "it.save_checkpoint('x')", "DDP202"),
    "optional": ("Optional[deepspeed.DeepSpeedEngine]", "it.save_checkpoint('x')", "DDP202"),
    "a union with None": ("Union[None, deepspeed.DeepSpeedEngine]", "it.save_checkpoint('x')", "DDP202"),
    "or None": ("Accelerator | None", "it.gather(x)", "DDP101"),
    "a string with None": ("'Optional[Accelerator]'", "it.gather(x)", "DDP101"),
    "a wrapper": ("DDP", "it(x)", "DDP102"),
}

OTHERS = {
    "one of two classes": ("Union[DDP, nn.Module]", "it(x)"),
    "either of two": ("DDP | nn.Module", "it(x)"),
    "a list of them": ("list[DDP]", "it(x)"),
    "anything": ("Any", "it(x)"),
    "no expression": ("'a model of its own'", "it(x)"),
    "a type that no module brings": ("Missing", "it.gather(x)"),
}

PLACES = {
    "a parameter": "def step(it: {kind}, x):\n{body}",
    "an attribute of its class": "class Run:\n    it: {kind}\n    def step(self, x):\n        it = self.it\n{inner}",
    "an attribute that is set later": (
        "class Run:\n    def __init__(self):\n        self.it: {kind} = None\n"
        "    def begin(self, it):\n        self.it = it\n"
        "    def step(self, x):\n        it = self.it\n{inner}"
    ),
    "an attribute of a base": (
        "class Base:\n    it: {kind}\nclass Run(Base):\n    def step(self, x):\n        it = self.it\n{inner}"
    ),
}


def _program(place: str, kind: str, call: str) -> str:
    body = GUARDED.format(call=call)
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    return START + PLACES[place].format(kind=kind, body=body, inner=inner)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("kind", "call", "code"), NAMES.values(), ids=NAMES)
def test_an_annotation_says_what_an_object_is(place: str, kind: str, call: str, code: str) -> None:
    assert [one.code for one in found_in(_program(place, kind, call), code)] == [code]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("kind", "call"), OTHERS.values(), ids=OTHERS)
def test_any_other_annotation_says_nothing(place: str, kind: str, call: str) -> None:
    assert found_in(_program(place, kind, call), "DDP101", "DDP102", "DDP202") == []


def test_what_may_be_none_is_asked_for() -> None:
    text = (
        "class Run:\n    saved: Optional[Future] = None\n    def poll(self, wait=True):\n"
        "        if (saved := self.saved) is not None:\n            if wait or saved.done():\n"
        "                dist.barrier()\n                self.saved = None\n"
        "    def save(self, pool):\n        self.poll(wait=False)\n        self.saved = pool.submit(print)\n"
    )
    assert [one.code for one in found_in(START + text, "DDP104")] == ["DDP104"]
    assert found_in(START + text.replace("wait or saved.done()", "wait"), "DDP104") == []

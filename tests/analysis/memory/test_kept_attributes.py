"""What an object has for an attribute: from elsewhere where it was not set, or by the setter of a property."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """\
import argparse
import os
import torch.distributed as dist
dist.init_process_group("gloo")
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
args = parser.parse_args()
"""

STILL_MAY = {
    "an option": "if args.debug:\n    args.local_rank = -1\nif args.local_rank == 0:\n    dist.barrier()\n",
    "a default": (
        "if 'local_rank' not in args:\n    args.local_rank = -1\nif args.local_rank == 0:\n    dist.barrier()\n"
    ),
    "a question for the attribute": (
        "if not hasattr(args, 'local_rank'):\n    args.local_rank = -1\nif args.local_rank == 0:\n    dist.barrier()\n"
    ),
    "in a function": (
        "def defaults(options):\n    if options.local_rank is None:\n        options.local_rank = -1\n"
        "defaults(args)\nif args.local_rank == 0:\n    dist.barrier()\n"
    ),
    "a switch": (
        "if args.debug:\n    args.meet = False\nif dist.get_rank() == 0:\n    if args.meet:\n        dist.barrier()\n"
    ),
}

CANNOT = {
    "set in any case": "args.local_rank = -1\nif args.local_rank == 0:\n    dist.barrier()\n",
    "set either way": (
        "if args.debug:\n    args.local_rank = -1\nelse:\n    args.local_rank = -2\n"
        "if args.local_rank == 0:\n    dist.barrier()\n"
    ),
    "set again": (
        "if args.debug:\n    args.meet = 1\nargs.meet = 0\nif dist.get_rank() == 0 and args.meet:\n    dist.barrier()\n"
    ),
    "the same condition": (
        "if args.debug:\n    args.meet = False\n"
        "if args.debug and args.meet and dist.get_rank() == 0:\n    dist.barrier()\n"
    ),
}


@pytest.mark.parametrize("name", STILL_MAY)
def test_it_may_be_what_it_was(name: str) -> None:
    assert [one.code for one in found_in(HEAD + STILL_MAY[name], "DDP101")] == ["DDP101"]


@pytest.mark.parametrize("name", CANNOT)
def test_it_is_what_was_set(name: str) -> None:
    assert not found_in(HEAD + CANNOT[name], "DDP101")


@pytest.mark.parametrize("kind", ["argparse.Namespace", "types.SimpleNamespace"])
def test_a_namespace_has_what_it_is_made_with(kind: str) -> None:
    text = f"{HEAD}import types\nargs = {kind}(meet=0, rank=dist.get_rank(), group=None)\n"
    assert not found_in(f"{text}if dist.get_rank() == 0 and args.meet:\n    dist.barrier()\n", "DDP101")
    assert found_in(f"{text}if args.rank == 0 and not args.meet:\n    dist.barrier()\n", "DDP101")
    assert not found_in(f"{text}args.rank = 0\nif args.rank == 0:\n    dist.barrier()\n", "DDP101")


SETTER = """\
import torch.distributed as dist

class Base:
    def __init__(self):
        self._held = None

    @property
    def held(self):
        return self._held

    @held.setter
    def held(self, value):
        {body}

class Own(Base):
    pass

own = Own()
if dist.get_rank() == 0:
    own.held = 1
if own.{asked} is None:
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("body", "asked", "count"),
    [
        ("self._held = value", "_held", 1),
        ("self._held = value", "held", 1),
        ("print(value)", "held", 0),
        ("self._other = value", "_held", 0),
    ],
)
def test_a_property_is_set_by_its_setter(body: str, asked: str, count: int) -> None:
    assert len(found_in(SETTER.format(body=body, asked=asked), "DDP101")) == count


def test_what_a_setter_does_is_walked() -> None:
    assert len(found_in(SETTER.format(body="dist.all_reduce(value)", asked="held"), "DDP101")) == 1

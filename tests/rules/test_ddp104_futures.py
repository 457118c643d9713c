"""DDP104 on objects that only what is asked of them tells to be futures."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch.distributed as dist
from concurrent.futures import Future


class Saver:
    last = None

    def __init__(self, trainer):
        self.trainer = trainer

    def save(self):
        self.last = self.trainer.save_in_background()

    def finish(self, step):
        {test}
            pending.result()
            dist.barrier()
"""

FIRES = {
    "in an assignment expression": "if (pending := self.last) is not None and pending.done():",
    "under a name": "pending = self.last\n        if pending is not None and pending.done():",
}
SILENT = {
    "all wait": "pending = self.last\n        if pending is not None:",
    "another attribute": "pending = self.last\n        if pending is not None and pending.begun():",
}


@pytest.mark.parametrize("name", FIRES)
def test_each_rank_is_done_at_its_own_time(name: str) -> None:
    assert [one.code for one in found_in(PROGRAM.format(test=FIRES[name]), "DDP104")] == ["DDP104"]


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not found_in(PROGRAM.format(test=SILENT[name]), "DDP104")


def test_what_is_done_may_be_something_else() -> None:
    program = """\
        import torch.distributed as dist

        def play(game):
            if game.done():
                dist.barrier()
            game.result()
        """
    assert not found_in(textwrap.dedent(program), "DDP104")

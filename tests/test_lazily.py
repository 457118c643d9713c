"""What a class makes when it is first asked for is made once."""

from __future__ import annotations

from pathlib import Path

import ddplint

LAZY = """
import torch.distributed as dist


class Box:
    def __init__(self, settings):
        self.settings = settings
        self._model = None

    def restore(self, state):
        self._model = state["model"]

    @property
    def model(self):
        if self._model is None:
            if dist.get_rank() == 0:
                {guarded}
            self._model = self.settings.make()
        return self._model


def run(box, state):
    if state.flag:
        box.restore(state)
    box.model
    {between}
    dist.all_reduce(box.model)


run(Box(settings()), state())
"""


def codes(tmp_path: Path, **parts: str) -> list[str]:
    (tmp_path / "lazy.py").write_text(LAZY.format(**parts))
    return [finding.code for finding in ddplint.check([tmp_path]).findings]


def test_making_it_counts(tmp_path: Path) -> None:
    assert codes(tmp_path, guarded="dist.barrier()", between="pass") == ["DDP101"]


def test_a_second_look_makes_nothing(tmp_path: Path) -> None:
    """Were it made again, rank 0 alone would come to the barrier behind its early return's other half."""
    between = "if dist.get_rank() == 0 and box._model is None:\n        dist.barrier()"
    assert codes(tmp_path, guarded="pass", between=between) == []

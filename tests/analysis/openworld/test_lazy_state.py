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


RUNNER = """
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Runner:
    def __init__(self, settings, model):
        self.settings = settings
        self._model = model
        self._wrapped = None
        self._device = None

    @property
    def device(self):
        if self._device is None:
            self._device = torch.device(self.settings.device)
        return self._device

    @property
    def model(self):
        if self._model.device != self.device:
            self._model = self._model.to(self.device)
            if self.settings.distributed:
                if self._wrapped is None:
                    self._wrapped = DDP(self._model)
            else:
                self._wrapped = self._model
        return self._wrapped

    def restore(self, path):
        if os.path.isfile(path):
            state = torch.load(path, map_location=self.device)
        else:
            raise RuntimeError(path)
        {restored}.load_state_dict(state)

    def save(self, best):
        if dist.get_rank() == 0:
            torch.save({saved}.state_dict(), "best.pt" if best else "last.pt")

    def train(self):
        best = 0
        if self.settings.path is not None:
            self.restore(self.settings.path)
        for epoch in range(self.settings.epochs):
            if not self.settings.evaluate:
                self.model.train()
            for split in self.settings.splits:
                score = self.settings.score({evaluated}, split)
                if score is not None and score > best:
                    best = score
                    self.save(True)
            dist.barrier()


def main(settings):
    dist.init_process_group("gloo")
    Runner(settings, make(settings)).train()


main(settings())
"""


def test_a_wrapper_that_all_ranks_made_is_not_made_again(tmp_path: Path) -> None:
    text = RUNNER.format(restored="self.model", saved="self.model", evaluated="self.model")
    (tmp_path / "runner.py").write_text(text)
    found = ddplint.check([tmp_path]).findings
    assert [finding.code for finding in found if finding.code.startswith("DDP1")] == []


def test_one_that_only_rank_0_asks_for(tmp_path: Path) -> None:
    text = RUNNER.format(restored="self._model", saved="self.model", evaluated="self._model")
    (tmp_path / "runner.py").write_text(text.replace("self.model.train()", "self._model.train()"))
    found = ddplint.check([tmp_path]).findings
    assert "DDP102" in [finding.code for finding in found]


SAVED_ON_RANK_0 = """
import functools
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def main_process(func):
    @functools.wraps(func)
    def inner(*args, **kwargs):
        if dist.get_rank() == 0:
            return func(*args, **kwargs)
    return inner


class Runner:
    def __init__(self, cfg, model):
        self.cfg = cfg
        self._model = model
        self._wrapped_model = None
        self._device = None

    @property
    def device(self):
        if self._device is None:
            self._device = torch.device(self.cfg.device)
        return self._device

    @property
    def model(self):
        if self._model.device != self.device:
            self._model = self._model.to(self.device)
            if self.cfg.distributed:
                if self._wrapped_model is None:
                    self._wrapped_model = DDP(self._model)
            else:
                self._wrapped_model = self._model
        return self._wrapped_model

    def train(self):
        if not self.cfg.evaluate and self.cfg.resume is not None:
            self.model.load_state_dict(torch.load(self.cfg.resume))
        for epoch in range(self.cfg.start, self.cfg.epochs):
            if not self.cfg.evaluate:
                self.model.train()
                self.step(self.model)
                self.save(epoch)
            if self.cfg.evaluate:
                break
            dist.barrier()
        if len(self.cfg.splits) > 0:
            for split in self.cfg.splits:
                self.evaluate(self.model)

    def step(self, model):
        model(torch.ones(3)).sum().backward()

    @torch.no_grad()
    def evaluate(self, model):
        model.eval()

    @main_process
    def save(self, epoch):
        torch.save(self.model.state_dict(), f"{epoch}.pt")
"""


def test_asking_again_on_one_rank_makes_no_other_thing(tmp_path: Path) -> None:
    """Rank 0 comes to the property more often; what it holds is then joined otherwise, and is the same."""
    (tmp_path / "lazy.py").write_text(SAVED_ON_RANK_0)
    assert ddplint.check([tmp_path], select=["DDP102"]).findings == []

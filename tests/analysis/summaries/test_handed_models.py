"""A helper without a word of other ranks is walked where it is handed what matters, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

EVALUATION = """\
import torch
from steps import step


def evaluate(model, loader):
    for x in loader:
        step(model, x)


class Evaluator:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader

    def run(self):
        for x in self.loader:
            self.model(x)


def evaluate_all(models, x):
    for model in models:
        model(x)


def apply(function, *args):
    return function(*args)


def describe(model):
    return str(model)
"""
STEPS = "def step(model, x):\n    return model(x)\n"
TRAIN = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from evaluation import Evaluator, apply, describe, evaluate, evaluate_all


def main():
    dist.init_process_group("nccl")
    plain = nn.Linear(8, 1).cuda()
    model = FSDP(nn.Linear(8, 1).cuda())
    if dist.get_rank() == 0:
        {use}
    dist.destroy_process_group()


main()
"""
FOUND = {
    "over two files": "evaluate(model, [torch.rand(4, 8)])",
    "by keyword": "evaluate(loader=[torch.rand(4, 8)], model=model)",
    "an object": "Evaluator(model, [torch.rand(4, 8)]).run()",
    "a list": "evaluate_all([model], torch.rand(4, 8))",
    "a function": "apply(dist.barrier)",
    "a lambda": "apply(lambda: model(torch.rand(4, 8)))",
}
SILENT = {
    "a plain model": "evaluate(plain, [torch.rand(4, 8)])",
    "an object of a plain model": "Evaluator(plain, [torch.rand(4, 8)]).run()",
    "not called": "describe(model)",
    "a plain function": "apply(len, [])",
}


def found(folder: Path, use: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(folder)
    (folder / "evaluation.py").write_text(EVALUATION)
    (folder / "steps.py").write_text(STEPS)
    (folder / "train.py").write_text(TRAIN.format(use=use))
    report = check(["."], Settings())
    assert report.errors == []
    return [one.code for one in report.findings if one.code.startswith("DDP1")]


@pytest.mark.parametrize("form", FOUND)
def test_what_is_handed_on_is_called(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, FOUND[form], monkeypatch)


@pytest.mark.parametrize("form", SILENT)
def test_what_does_not_matter_is_left_alone(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, SILENT[form], monkeypatch) == []

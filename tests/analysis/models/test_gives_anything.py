"""Packages that speak to no other rank, and give objects of classes that nobody knows: these may."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import copy
import importlib
import json
import os
import pickle
from pathlib import Path

import torch.distributed as dist
from hydra.utils import call, get_class, instantiate
from omegaconf import OmegaConf

dist.init_process_group("gloo")
rank = int(os.environ["RANK"])
config = OmegaConf.load("job.yaml")
out = Path(os.environ["OUT"])
if rank == 0:
    out.mkdir(parents=True)
{between}
(out / f"{{rank}}.json").write_text("x")
"""
MAY_MEET = [
    "instantiate(config.trainer).run()",
    "trainer = instantiate(config.trainer, _recursive_=False)\ntry:\n    trainer.run()\nfinally:\n    print(rank)",
    "get_class(config.name)(config).run()",
    "call(config.step)",
    "importlib.import_module(config.module).main(config)",
    "pickle.load(open('job.pkl', 'rb')).resume()",
    "copy.deepcopy(pickle.load(open('job.pkl', 'rb'))).resume()",
]
DOES_NOT = [
    "pass",
    "trainer = instantiate(config.trainer)",
    "json.load(open('job.json')).copy()",
    "print(config.trainer)",
]


@pytest.mark.parametrize("between", MAY_MEET)
def test_it_may_meet_there(between: str) -> None:
    assert not found_in(PROGRAM.format(between=between), "DDP203")


@pytest.mark.parametrize("between", DOES_NOT)
def test_it_does_not_meet_there(between: str) -> None:
    assert found_in(PROGRAM.format(between=between), "DDP203")

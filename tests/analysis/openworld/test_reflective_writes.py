"""Defaults that settings from elsewhere may replace: code behind an option that is off by default is walked."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import argparse
import json
from types import SimpleNamespace
import torch.distributed as dist
from yacs.config import CfgNode
from easydict import EasyDict
from somewhere import default_settings

parser = argparse.ArgumentParser()
parser.add_argument("--settings")
args = parser.parse_args()
loaded = json.load(open(args.settings))


class Config:
    shared = False

    def __init__(self):
        self.own = False


dist.init_process_group("gloo")
rank = dist.get_rank()
{setup}
if {option}:
    if rank == 0:
        dist.barrier()
"""


def codes(setup: str, option: str) -> list[str]:
    return [finding.code for finding in found_in(PROGRAM.format(setup=setup, option=option), "DDP1")]


NODE = "c = CfgNode()\nc.a = False\nc.part = CfgNode()\nc.part.a = False\n"
DEFAULTS = "c = default_settings()\nc.a = False\nc.part.a = False\n"
EASY = "c = EasyDict()\nc.a = False\n"
PLAIN = "c = {'a': False, 'part': {'a': False}}\n"
NAMES = "for name, value in loaded.items():\n    "


@pytest.mark.parametrize(
    ("setup", "option"),
    [
        (f"{NODE}c.merge_from_file(args.settings)", "c.a"),
        (f"{NODE}c.merge_from_file(args.settings)", "c.part.a"),
        (f"{NODE}c = c.clone()\nc.merge_from_list(args.settings)", "c.part.a"),
        (f"{DEFAULTS}c.merge_from_file(args.settings)", "c.a"),
        (f"{DEFAULTS}c.merge_from_file(args.settings)", "c.part.a"),
        (f"{EASY}c.update(loaded)", "c.a"),
        (f"c = Config()\n{NAMES}setattr(c, name, value)", "c.own"),
        (f"c = Config()\n{NAMES}setattr(c, name, value)", "c.shared"),
        (f"c = Config()\n{NAMES}c.__dict__[name] = value", "c.own"),
        (f"{NAMES}setattr(Config, name, value)", "Config.shared"),
        ("c = Config()\nc.__dict__.update(loaded)", "c.own"),
        ("c = Config()\nvars(c).update(loaded)", "c.shared"),
        ("c = SimpleNamespace(a=False)\nc.__dict__.update(loaded)", "c.a"),
        ("args.a = False\nvars(args).update(loaded)", "args.a"),
        (f"args.a = False\n{NAMES}setattr(args, name, value)", "args.a"),
        (f"{PLAIN}c.update(loaded)", "c['a']"),
        (f"{PLAIN}{NAMES}c[name] = value", "c['a']"),
        (f"{PLAIN}c['part'].update(loaded)", "c['part']['a']"),
        ("a = False\nglobals().update(loaded)", "a"),
        ("a = False\nexec(open(args.settings).read())", "a"),
    ],
)
def test_defaults_may_be_replaced(setup: str, option: str) -> None:
    assert codes(setup, option) == ["DDP101"]


@pytest.mark.parametrize(
    ("setup", "option"),
    [
        (NODE, "c.part.a"),
        (f"{NODE}c.freeze()\nc.a = False", "c.a"),
        (f"{NODE}c.part.merge_from_list(args.settings)", "c.a"),
        (f"{EASY}d = EasyDict()\nd.update(loaded)", "c.a"),
        ("c = Config()\nvars(c).update(loaded)\nc.own = False", "c.own"),
        ("c = Config()\nc.__dict__['other'] = loaded", "c.own"),
        (f"{PLAIN}c.update(other=loaded)", "c['a']"),
        (f"{PLAIN}c.update(loaded)\nc['a'] = False", "c['a']"),
        ("exec(open(args.settings).read())\na = False", "a"),
        ("a = False\nexec('b = 1')", "a"),
    ],
)
def test_others_stay(setup: str, option: str) -> None:
    assert codes(setup, option) == []


def test_what_tells_ranks_apart_stays() -> None:
    setup = f"{NODE}c.rank = rank\nc.merge_from_file(args.settings)\nc.freeze()\nmain = c.rank == 0"
    assert codes(setup, "main") == ["DDP101"]


SCRIPT = """
import os
import torch
import torch.distributed as dist

backend = "nccl"
exec(open("settings.py").read())
{asked}
dist.init_process_group(backend=backend)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1).to(f"cuda:{{os.environ['LOCAL_RANK']}}"))
dist.barrier()
"""


@pytest.mark.parametrize(("asked", "found"), [("", 1), ("if backend == 'gloo':\n    print('slow')", 0)])
def test_a_text_that_a_script_compares_with_nothing_stays(asked: str, found: int) -> None:
    assert len(found_in(SCRIPT.format(asked=asked), "DDP403")) == found

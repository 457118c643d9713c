"""Settings from a file that are updated with what the program knows: the options of its command line, or more."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """
import argparse
import torch
import torch.distributed as dist
import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--rank", "--local_rank", default=0, type=int)
parser.add_argument("--steps", default=10, type=int)
args = parser.parse_args()
torch.cuda.set_device(args.rank)
dist.init_process_group("nccl")
config = yaml.safe_load(open(args.config))
"""
ASKS = 'if config["rank"] == 0:\n    dist.barrier()\n'

FIRES = {
    "all options": "config.update(vars(args))\n",
    "their dictionary": "config.update(args.__dict__)\n",
    "a dictionary": 'config.update({"rank": args.rank})\n',
    "a keyword": "config.update(rank=args.rank)\n",
    "more than is known": "config = {}\nconfig.update(yaml.safe_load(open(args.config)))\nconfig.update(vars(args))\n",
    "other things afterwards": "config.update(vars(args))\nconfig.update(seed=0)\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_the_rank_is_among_the_settings(name: str) -> None:
    assert [found.code for found in found_in(HEAD + FIRES[name] + ASKS, "DDP1")] == ["DDP101"]


SILENT = {
    "nothing": "",
    "settings of another file": "config.update(yaml.safe_load(open('more.yaml')))\n",
    "another option": "config.update(steps=args.steps)\n",
    "set anew": 'config.update(vars(args))\nconfig["rank"] = args.steps\n',
    "updated anew": "config.update(vars(args))\nconfig.update(rank=args.steps)\n",
    "other settings": "other = yaml.safe_load(open('other.yaml'))\nother.update(vars(args))\n",
    "what another parser gave": "import options\nconfig.update(vars(options.parse()))\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_it_is_not(name: str) -> None:
    assert found_in(HEAD + SILENT[name] + ASKS, "DDP1") == []


@pytest.mark.parametrize(
    ("flags", "name"), [('"--steps", "--all_steps"', "steps"), ('"-s", "--all-steps"', "all_steps")]
)
def test_an_option_has_the_name_of_its_first_long_flag(flags: str, name: str) -> None:
    program = f"""
import argparse
import torch.distributed as dist

dist.init_process_group("nccl")
parser = argparse.ArgumentParser()
parser.add_argument({flags}, default=dist.get_rank())
if parser.parse_args().{name} == 0:
    dist.barrier()
"""
    assert [found.code for found in found_in(program, "DDP1")] == ["DDP101"]

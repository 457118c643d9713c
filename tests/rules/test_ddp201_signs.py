"""DDP201 unguarded-save: by what a program shows that several ranks run it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from tests.rules.support import found_in

TOKENS = """\
import os
import numpy as np
from datasets import load_dataset

def main(total, rank):
    data = load_dataset("text")
    {loop}
        part = data.shard(num_shards=total, index={index})
        out = np.memmap("tokens.bin", dtype=np.uint16, mode="w+", shape=(len(part),))

if __name__ == "__main__":
    main(64, int(os.environ["RANK"]))
"""


@pytest.mark.parametrize(
    ("loop", "index", "found"),
    [
        ("for batch in range(total):", "batch", 0),
        ("if total:", "rank", 1),
    ],
)
def test_a_share_in_a_loop_is_no_rank_s(loop: str, index: str, found: int) -> None:
    assert len(found_in(TOKENS.format(loop=loop, index=index), "DDP201")) == found


HELPER = """\
from lightning.pytorch.utilities import rank_zero_only

@rank_zero_only
def show(config):
    with open("config.txt", "w") as file:
        file.write(str(config))
"""
SCRIPT = """\
import lightning.pytorch as pl
import torch
{helper}

def main(config):
    show(config)
    torch.save(config, "out.pt")

if __name__ == "__main__":
    main({{"a": 1}})
"""


def test_a_helper_for_rank_zero_says_nothing_of_who_calls_it(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(HELPER)
    for helper, found in (("from shown import show", 0), (HELPER, 1)):
        (tmp_path / "script.py").write_text(SCRIPT.format(helper=helper))
        told = ddplint.check([tmp_path / "script.py"], select=["DDP201"]).findings
        assert len(told) == found, helper


MAPPED = """\
import numpy as np
import torch.distributed as dist

def main(path):
    dist.init_process_group("nccl")
    numbers = np.memmap(path{mode}, dtype=np.uint16)
    more = np.lib.format.open_memmap(path + ".npy"{mode})
"""


@pytest.mark.parametrize(("mode", "found"), [("", 0), (", mode='r'", 0), (", mode='w+'", 2)])
def test_a_file_that_is_mapped_to_be_read(mode: str, found: int) -> None:
    assert len(found_in(MAPPED.format(mode=mode), "DDP201")) == found


COMPILED = """\
import jax
import torch

def convert(step, array, path):
    {begin}
    weights = jax.jit(step)(array)
    torch.save(weights, path)
"""


@pytest.mark.parametrize(("begin", "found"), [("pass", 0), ("jax.distributed.initialize()", 1)])
def test_a_compiled_function_runs_on_one_process_as_well(begin: str, found: int) -> None:
    assert len(found_in(COMPILED.format(begin=begin), "DDP201")) == found


OPTION = """\
import argparse
import os
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--out")
parser.add_argument("--index", type=int)
args = parser.parse_args()
if args.index == -1:
    args.index = int(os.environ["SLURM_PROCID"])
    args.out = {named}


def answer(questions):
    out = os.path.expanduser(args.out)
    with open(out, "w") as file:
        for question in questions[args.index :: 4]:
            file.write(question)
    if args.index == 0:
        print("done")


answer(["a", "b"])
"""


@pytest.mark.parametrize(
    ("named", "found"),
    [("f'part-{args.index}.txt'", 0), ("join(args.out, f'part-{args.index}.txt')", 0), ("'all.txt'", 1)],
)
def test_what_makes_them_several_names_the_path(named: str, found: int) -> None:
    assert len(found_in(OPTION.format(named=named), "DDP201")) == found

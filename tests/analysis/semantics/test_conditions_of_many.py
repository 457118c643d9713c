"""``a and b and rank == 0``, where there are more ways than are kept apart: who is let in is not forgotten."""

import pytest

from tests.rules.support import found_in

HEAD = """\
import argparse
import json
import os
import torch.distributed as dist
from torch.utils.data import DataLoader
from setup import rows


def parsed():
    options = argparse.ArgumentParser().parse_args()
    if options.total is None:
        options.every = options.every or 1
    return options


def main(options):
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl")
    step = 0
    if options.resume is not None:
        if os.path.exists(options.resume):
            with open(options.resume) as file:
                step = json.load(file)["step"]
    done = 0
    for batch in DataLoader(rows):
        done += 1
        step += 1
        if TEST:
            with open("state.json", "w") as file:
                json.dump(3, file)


if __name__ == "__main__":
    main(parsed())
"""


@pytest.mark.parametrize(
    "test",
    [
        "done > options.every and step % options.often == 0 and rank == 0",
        "rank == 0 and done > options.every and step % options.often == 0",
        "step % options.often == 0 and done > options.every and rank == 0",
        "done > options.every and step % options.often == 0 and not rank",
    ],
)
def test_one_rank_is_let_in(test: str) -> None:
    assert found_in(HEAD.replace("TEST", test), "DDP201") == []


@pytest.mark.parametrize(
    "test",
    [
        "done > options.every and step % options.often == 0",
        "done > options.every and step % options.often == 0 and rank != 0",
        "done > options.every and step % options.often == 0 and rank in (0, 1)",
    ],
)
def test_several_ranks_are_let_in(test: str) -> None:
    assert len(found_in(HEAD.replace("TEST", test), "DDP201")) == 1

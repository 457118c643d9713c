"""Ranks that begin with other things: what they do today, and with the check that they agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inserting.support import inserted, run_alone, run_on_two

pytestmark = pytest.mark.torchrun

NAME = "agreement-check"
START = """\
import argparse
import os
import random
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")))
    parser.add_argument("--out", default=".")
    args = parser.parse_args()
    if "RANK" in os.environ:
        dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))
    rank = int(os.environ.get("RANK", "0"))
    torch.manual_seed(args.seed)
    model = nn.Linear(1, 1)
    if "RANK" in os.environ:
        model = DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    start_epoch = 0
    items = [float(one) for one in range(16)]
    {fault}
    sampler = DistributedSampler(items) if "RANK" in os.environ else None
    loader = DataLoader(items, batch_size=4, sampler=sampler)
    for epoch in range(start_epoch, args.epochs):
        for batch in loader:
            optimizer.zero_grad()
            model(batch[:, None].float() / 16).square().mean().backward()
            optimizer.step()
    print(f"FINISHED rank={rank}", flush=True)
    if "RANK" in os.environ:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
FAULTS = {
    "weights that one rank loads after wrapping": (
        "if rank == 0:\n        model.load_state_dict({name: one * 2 for name, one in model.state_dict().items()})",
        "weights is ",
    ),
    "random numbers of each rank for the order": (
        "random.seed(rank)\n    random.shuffle(items)",
        "data is [",
    ),
    "a seed that one rank is given otherwise": (
        "args.seed = args.seed + rank\n    torch.manual_seed(args.seed)",
        "settings.seed is 0 on rank [0], 1 on rank [1]",
    ),
}


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


@pytest.mark.parametrize(("fault", "told"), FAULTS.values(), ids=FAULTS)
def test_what_trained_on_silently_raises_on_both(fault: str, told: str, tmp_path: Path) -> None:
    text = START.replace("{fault}", fault)
    before = run_on_two(text, folder(tmp_path, "before"))
    assert all("FINISHED" in out for out in before.stdout), before.stderr
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    assert not any("FINISHED" in out for out in after.stdout)
    for err in after.stderr:
        assert "RuntimeError: the ranks do not agree: " in err
        assert told in err


def test_another_epoch_to_go_on_from_is_named_with_its_rank(tmp_path: Path) -> None:
    text = START.replace("{fault}", "if rank == 0:\n        start_epoch = 1")
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    for err in after.stderr:
        assert "the ranks do not agree: start_epoch is 1 on rank [0], 0 on rank [1]" in err


def test_ranks_that_agree_and_one_process_go_on(tmp_path: Path) -> None:
    text = inserted(NAME, START.replace("{fault}", "args.rank = rank"), tmp_path)
    done = run_on_two(text, folder(tmp_path, "after"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr
    alone = run_alone(text, tmp_path)
    assert "FINISHED rank=0" in alone.stdout, alone.stderr


def test_what_must_be_apart(tmp_path: Path) -> None:
    """The same random numbers on all ranks, which the function can be asked about, too."""
    text = inserted(NAME, START.replace("{fault}", "pass"), tmp_path)
    text = text.replace("check_agreement(settings", 'check_agreement(apart={"noise": torch.initial_seed()}, settings')
    after = run_on_two(text, folder(tmp_path, "alike"))
    assert all("noise is the same on all ranks" in err for err in after.stderr)
    text = text.replace("    pass\n", "    torch.manual_seed(args.seed + rank)\n")
    done = run_on_two(text, folder(tmp_path, "apart"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr


def test_the_variable_turns_it_off(tmp_path: Path) -> None:
    text = inserted(NAME, START.replace("{fault}", "args.seed += rank"), tmp_path)
    text = text.replace("def main():\n", 'def main():\n    os.environ["DDP_AGREEMENT"] = "0"\n')
    done = run_on_two(text, folder(tmp_path, "after"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr

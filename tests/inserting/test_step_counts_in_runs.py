"""What the inserted check of the step counts does when trainers run on two processes, and what happens without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inserting.support import inserted, run_alone, run_on_two

pytestmark = pytest.mark.torchrun

LOCAL_STEPS = """\
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader


def average(model):
    for parameter in model.parameters():
        dist.all_reduce(parameter.data)
        parameter.data /= dist.get_world_size()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loader = DataLoader(torch.ones(SHARES[rank], 1))
    for epoch in range(2):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        average(model)
    print(f"FINISHED rank={rank}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
WITH_DDP = (
    LOCAL_STEPS.replace(
        "import DataLoader\n", "import DataLoader\nfrom torch.nn.parallel import DistributedDataParallel\n"
    )
    .replace("model = torch.nn.Linear(1, 1)", "model = DistributedDataParallel(torch.nn.Linear(1, 1))")
    .replace("        average(model)\n", "")
)
ALONE = (
    LOCAL_STEPS.replace(
        '    dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))\n', ""
    )
    .replace("dist.get_rank()", "0")
    .replace("        average(model)\n", "        if dist.is_initialized():\n            average(model)\n")
)
NAME = "step-count-check"


def uneven(text: str) -> str:
    return text.replace("SHARES[rank]", "12 - 2 * rank")


def even(text: str) -> str:
    return text.replace("SHARES[rank]", "12")


def test_unequal_local_steps_go_unnoticed_without_it_and_stop_all_ranks_with_it(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    before = run_on_two(uneven(LOCAL_STEPS), tmp_path / "before")
    assert all("FINISHED" in out for out in before.stdout)
    after = run_on_two(inserted(NAME, uneven(LOCAL_STEPS), tmp_path), tmp_path / "after")
    for out, err in zip(after.stdout, after.stderr):
        assert "FINISHED" not in out
        assert "RuntimeError: the ranks had different numbers of steps: rank 0: 12, rank 1: 10" in err


def test_equal_steps_are_not_noticed(tmp_path: Path) -> None:
    (tmp_path / "after").mkdir()
    for number, program in enumerate((even(LOCAL_STEPS), even(WITH_DDP))):
        folder = tmp_path / f"after{number}"
        folder.mkdir()
        done = run_on_two(inserted(NAME, program, tmp_path), folder)
        assert all("FINISHED" in out for out in done.stdout), done.stderr


def test_one_process_does_what_it_did(tmp_path: Path) -> None:
    after = inserted(NAME, even(ALONE), tmp_path)
    assert "check_step_counts(steps)" in after
    done = run_alone(after, tmp_path)
    assert done.stdout == "FINISHED rank=0\n", done.stderr


def test_unequal_steps_through_ddp_end_in_the_first_epoch_but_not_with_the_counts(tmp_path: Path) -> None:
    """What the page says of it: without the check one rank ends its epochs on shifted gradients."""
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    before = run_on_two(uneven(WITH_DDP), tmp_path / "before")
    assert ["FINISHED" in out for out in before.stdout] == [False, True]
    after = run_on_two(inserted(NAME, uneven(WITH_DDP), tmp_path), tmp_path / "after")
    assert not any("FINISHED" in out for out in after.stdout)
    assert "different numbers of steps" not in "".join(after.stderr)
    assert "Timed out" in "".join(after.stderr)
    assert "check_step_counts" in after.stderr[1]
    assert "check_step_counts" not in after.stderr[0]
    assert "backward()" in after.stderr[0]

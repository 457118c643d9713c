"""``--insert agreement-check``: the names under which a training communicates its losses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inserting.support import added, inserted, run_alone, run_on_two

NAME = "agreement-check"
START = """\
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def averaged(losses):
    found = {}
    {reduced}
    return found


def main():
    rank = int(os.environ.get("RANK", "0"))
    model = nn.Linear(1, 1)
    if "RANK" in os.environ:
        dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))
        model = DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    items = [float(one) for one in range(16)]
    loader = DataLoader(items, batch_size=4, sampler=DistributedSampler(items) if dist.is_initialized() else None)
    for epoch in range(2):
        for step, batch in enumerate(loader):
            optimizer.zero_grad()
            out = model(batch[:, None].float() / 16)
            losses = {"fit": out.square().mean()}
            {losses}
            sum(losses.values()).backward()
            optimizer.step()
            if dist.is_initialized():
                print(averaged({name: loss.detach().clone() for name, loss in losses.items()}))
    print(f"FINISHED rank={rank}", flush=True)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
EACH = "for name, loss in losses.items():\n        dist.all_reduce(loss)\n        found[name] = loss"
SORTED = "for name in sorted(losses.keys()):\n        dist.all_reduce(losses[name])"
MADE = "found = {name: dist.all_reduce(loss) or loss for name, loss in losses.items()}"
ALIKE = 'losses["size"] = out.abs().mean()'


def program(reduced: str = EACH, losses: str = ALIKE) -> str:
    return START.replace("{reduced}", reduced).replace("{losses}", losses)


def calls(before: str, tmp_path: Path) -> list[str]:
    lines = added(before, inserted(NAME, before, tmp_path))
    return [line.strip() for line in lines if line.strip().startswith("check_names(")]


@pytest.mark.parametrize(
    ("reduced", "names"),
    [(EACH, "losses"), (SORTED, "sorted(losses)"), (MADE, "losses")],
    ids=["each", "sorted", "made"],
)
def test_names_are_compared_in_front_of_what_communicates_each(reduced: str, names: str, tmp_path: Path) -> None:
    assert calls(program(reduced), tmp_path) == [f'check_names("losses in averaged", {names})']


@pytest.mark.parametrize(
    "reduced",
    [
        "for name, loss in losses.items():\n        found[name] = loss.item()",
        "for loss in [one for one in losses.values() if one.ndim == 0]:\n        dist.all_reduce(loss)",
        "for count in range(2):\n        dist.all_reduce(torch.ones(1))",
        "for part in torch.ones(2):\n        dist.all_reduce(part)",
        "for name, loss in dict(losses).items():\n        dist.all_reduce(loss)",
        "pair = dist.new_group([0, 1])\n    for name, loss in losses.items():\n        dist.all_reduce(loss, group=pair)",
        "if sum(dist.all_reduce(loss) or loss for loss in losses.values()) > 9:\n        found = {}",
    ],
)
def test_no_names_to_compare_or_no_place_for_it(reduced: str, tmp_path: Path) -> None:
    text = program(reduced)
    code = 1 if reduced.startswith("if") else 0
    lines = added(text, inserted(NAME, text, tmp_path, code=code))
    assert not [line for line in lines if "check_names(" in line]


def test_outside_of_a_training_nothing_is_compared(tmp_path: Path) -> None:
    text = (
        program()
        .replace("                print(averaged(", "                print((")
        .replace("    for epoch", "    averaged({})\n    for epoch")
    )
    assert calls(text, tmp_path) == []


TURNED = f"{ALIKE}; losses = dict(sorted(losses.items(), reverse=rank == 1))"
FAULTS = {
    "a loss that one rank has not": (
        EACH,
        'losses["box" if rank else "mask"] = out.abs().mean()',
        "on the names of losses in averaged: rank 0 has no box; rank 1 has no mask",
    ),
    "another order": (
        EACH,
        TURNED,
        "rank 1 has the order size, fit, rank 0 fit, size",
    ),
    "sorted by name": (SORTED, 'losses["box" if rank else "mask"] = out.abs().mean()', "rank 0 has no box"),
}


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


@pytest.mark.torchrun
@pytest.mark.parametrize(("reduced", "losses", "told"), FAULTS.values(), ids=FAULTS)
def test_what_was_averaged_with_another_loss_raises_on_both(
    reduced: str, losses: str, told: str, tmp_path: Path
) -> None:
    text = program(reduced, losses)
    before = run_on_two(text, folder(tmp_path, "before"))
    assert all("FINISHED" in out for out in before.stdout), before.stderr
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    assert not any("FINISHED" in out for out in after.stdout)
    for err in after.stderr:
        assert "RuntimeError: the ranks do not agree on the names of losses in averaged: " in err
        assert told in err


@pytest.mark.torchrun
def test_the_same_names_one_process_and_the_variable(tmp_path: Path) -> None:
    """Names that agree, and those that a rank sorts first, go on; so do one process, and ranks that turned it off."""
    text = inserted(NAME, program(SORTED, TURNED), tmp_path)
    assert "sorted(losses))" in text
    done = run_on_two(text, folder(tmp_path, "agree"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr
    alone = run_alone(text, tmp_path)
    assert "FINISHED rank=0" in alone.stdout, alone.stderr
    text = inserted(NAME, program(EACH, TURNED), tmp_path).replace(
        "def main():\n", 'def main():\n    os.environ["DDP_AGREEMENT"] = "0"\n'
    )
    done = run_on_two(text, folder(tmp_path, "off"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr


@pytest.mark.torchrun
def test_later_passes_are_compared_where_they_are_asked_for(tmp_path: Path) -> None:
    late = 'losses["box" if rank and step else "mask"] = out.abs().mean()'
    text = inserted(NAME, program(EACH, late), tmp_path)
    done = run_on_two(text, folder(tmp_path, "first"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr
    text = text.replace("def main():\n", 'def main():\n    os.environ["DDP_AGREEMENT"] = "always"\n')
    done = run_on_two(text, folder(tmp_path, "always"))
    assert all("rank 0 has no box; rank 1 has no mask" in err for err in done.stderr)

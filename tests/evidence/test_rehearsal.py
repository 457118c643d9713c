"""The rehearsed adoptions: the page is that of the record, and the script goes its way in a small repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.planted import FAULT, backward_passes, put, put_right, spot
from benchmarks.rehearsal import rehearse
from docs.rehearsed import PAGE, RECORD, page

TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, batches, optimizer):
    for x in batches:
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


dist.init_process_group("gloo")
if dist.get_rank() == 1:
    dist.barrier()
model = DistributedDataParallel(torch.nn.Linear(2, 2))
train(model, [torch.ones(1, 2)] * 3, torch.optim.SGD(model.parameters()))
"""


def test_the_page_is_made_from_the_record() -> None:
    records = json.loads(RECORD.read_text("utf-8"))
    assert PAGE.read_text("utf-8") == page(records), "python -m docs.rehearsed"
    assert len(records) >= 30
    assert len({one["repository"] for one in records}) == len(records)


def test_what_is_said_to_have_gone_well_did() -> None:
    for one in json.loads(RECORD.read_text("utf-8")):
        if not one["broke"]:
            assert one["exits"][-1] == 0, one
            assert 1 in one["exits"], one
            assert one["reported"] == [], one
            assert one["mended"], one


def _clone(folder: Path, text: str) -> Path:
    clone = folder / "own+trainer"
    clone.mkdir()
    (clone / "train.py").write_text(text, "utf-8")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.c commit -qm a"):
        subprocess.run(["git", *command.split()], cwd=clone, check=True)
    return clone


def test_a_repository_with_a_finding_is_adopted(tmp_path: Path) -> None:
    seen = rehearse(_clone(tmp_path, TRAINER), 60)
    assert seen.broke == ""
    assert (seen.repository, seen.files, seen.place, seen.mended) == ("own/trainer", 1, "train.py:11", "--fix")
    assert seen.exits == [0, 0, 0, 1, 0, 0]
    assert seen.known >= 1
    assert (tmp_path / "own+trainer" / "train.py").read_text("utf-8") == TRAINER


def test_what_cannot_be_rehearsed_is_said(tmp_path: Path) -> None:
    assert rehearse(_clone(tmp_path, "print(1)\n"), 60).broke == "no backward pass in it"


@pytest.mark.parametrize("text", ["def f(:\n    loss.backward()\n", "backward(loss)\n", "x = loss.backward()\n"])
def test_a_fault_is_put_behind_a_statement_only(text: str) -> None:
    assert backward_passes(text) == []


def test_the_fault_and_its_repair(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TRAINER, "utf-8")
    assert spot(tmp_path) is None
    path = tmp_path / "a.py"
    path.write_text("def f(loss):\n    loss.backward(\n    )\n    return 1\n", "utf-8")
    assert spot(tmp_path) == ("a.py", 3, "    ")
    put(path, 3, "    ")
    assert path.read_text("utf-8").split("\n")[3:6] == ["    " + one for one in FAULT]
    put_right(path, 3, "    ")
    assert path.read_text("utf-8").split("\n")[4:6] == ["    new_dist.barrier()", "    return 1"]

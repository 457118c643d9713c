"""DDP204 where the first process of each node brings data to it, or removes what may be that node's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.api import check
from ddplint.rule import Severity

START = """\
import argparse
import os
import shutil
import zipfile

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--data")
parser.add_argument("--archive")
parser.add_argument("--out")
args = parser.parse_args()
dist.init_process_group("nccl")
local_rank = int(os.environ["LOCAL_RANK"])
"""
BROUGHT = {
    "a folder that is copied and removed at the end": (
        "if local_rank == 0:\n    shutil.copytree(args.archive, args.data + '/images')\ndist.barrier()\ntrain()\n"
        "if local_rank == 0:\n    shutil.rmtree(args.data + '/images')\n"
    ),
    "an archive that is copied and unpacked": (
        "if local_rank == 0:\n    os.makedirs(args.data)\n    shutil.copy(args.archive, args.data + '/a.zip')\n"
        "    zipfile.ZipFile(args.data + '/a.zip').extractall(args.data)\ndist.barrier()\n"
    ),
    "what was there before makes way": (
        "for name in ('train', 'val'):\n    there = os.path.join(args.data, name)\n"
        "    if os.path.exists(there) and local_rank == 0:\n        shutil.rmtree(there)\n"
        "    if local_rank == 0:\n        shutil.copytree(os.path.join(args.archive, name), there)\ndist.barrier()\n"
    ),
}
SHARED = {
    "the code, into the folder where the job writes": (
        "if local_rank == 0:\n    shutil.copytree(args.archive, args.out + '/code')\n"
        "if dist.get_rank() == 0:\n    torch.save({}, args.out + '/last.pt')\n"
    ),
    "the best of its own checkpoints": (
        "if local_rank == 0:\n    torch.save({}, args.out + '/last.pt')\n"
        "    shutil.copy(args.out + '/last.pt', args.data + '/best.pt')\n"
    ),
    "a folder that is made beside": (
        "if local_rank == 0:\n    shutil.copytree(args.archive, args.data + '/images')\n    os.mkdir(args.out)\n"
    ),
}
REMOVED = "if local_rank == 0 and os.path.exists(args.out):\n    {removal}(args.out)\ndist.barrier()\n"
SAVED = "import deepspeed\nengine, _, _, _ = deepspeed.initialize(model=torch.nn.Linear(2, 2))\n"


def severities(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch, nodes: int | None = None) -> set[Severity]:
    monkeypatch.chdir(folder)
    (folder / "train.py").write_text(START + program)
    if nodes is not None:
        (folder / "train.sh").write_text(f"torchrun --nnodes={nodes} --nproc_per_node=8 train.py\n")
    return {one.severity for one in check(["."], select=["DDP204"]).findings}


@pytest.mark.parametrize("program", BROUGHT.values(), ids=BROUGHT)
def test_data_for_the_node_is_advice(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert severities(program, tmp_path, monkeypatch, nodes=2) == {Severity.ADVICE}


@pytest.mark.parametrize("program", SHARED.values(), ids=SHARED)
def test_what_the_job_makes_is_not(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Severity.WARNING in severities(program, tmp_path, monkeypatch, nodes=2)


@pytest.mark.parametrize("removal", ["os.remove", "shutil.rmtree"])
@pytest.mark.parametrize(("nodes", "severity"), [(None, Severity.ADVICE), (2, Severity.WARNING)])
def test_what_is_removed_needs_several_nodes(
    removal: str, nodes: int | None, severity: Severity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert severities(REMOVED.format(removal=removal), tmp_path, monkeypatch, nodes) == {severity}


@pytest.mark.parametrize(("saved", "severity"), [("args.out", Severity.WARNING), ("args.data", Severity.ADVICE)])
def test_what_all_ranks_save_to_is_shared(
    saved: str, severity: Severity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = SAVED + REMOVED.format(removal="shutil.rmtree") + f"engine.save_checkpoint({saved})\n"
    assert severities(program, tmp_path, monkeypatch) == {severity}

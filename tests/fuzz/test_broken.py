"""Faults that are put into trainers are Python, stand where they should, and are seen in a plain one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.fuzz.broken import faults, main

TRAINER = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset

def main():
    dist.init_process_group("gloo")
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, sampler=sampler)
    model = DistributedDataParallel(torch.nn.Linear(2, 3))
    for epoch in range(9):
        sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "é.pt")
    dist.barrier()
    print("done")

main()
"""
CHANGED = {
    "save guard removed": "        if True:",
    "collective guarded": "    if dist.get_rank() == 0: dist.barrier()",
    "others return early": "    if not (dist.get_rank() == 0): return",
    "set_epoch removed": "        pass",
    "sampler removed": "    loader = DataLoader(dataset, sampler=None)",
    "NaN batch skipped": "            if loss.isnan().any(): continue",
    "loop left by the loss": "            if loss.item() > 100: break",
}


def test_each_fault_changes_one_line() -> None:
    found = {fault.kind: fault for fault in faults(TRAINER)}
    new = {kind: set(fault.text.split("\n")) - set(TRAINER.split("\n")) for kind, fault in found.items()}
    assert new == {kind: {line} for kind, line in CHANGED.items()}
    assert all(ast.parse(fault.text) for fault in found.values())


def test_a_file_that_is_not_about_ranks_is_left_alone() -> None:
    assert not list(faults("def main(sampler):\n    sampler.set_epoch(1)\n"))


def test_all_are_seen_in_a_plain_trainer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "trainer"
    project.mkdir()
    (project / "train.py").write_text(TRAINER, encoding="utf-8")
    (project / "broken.py").write_text("def main(:\n", encoding="utf-8")
    assert main([str(project)]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(f"{kind}: 1 of 1 seen" for kind in CHANGED)
    assert (project / "train.py").read_text(encoding="utf-8") == TRAINER

"""Programs that start a process for each rank by hand, in a loop."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import multiprocessing
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.multiprocessing import Process

def train(rank, options):
    {train}

def begin(rank, size, work, options):
    {begin}
    work(rank, options)

def main(options):
    size, processes = options.per_node, []
    {before}
    if size > 1:
        {context}
        for number in range({size}):
            {body}
            process = {process}(target=begin, args=({rank}, size, train, options))
            process.start()
            processes.append(process)
        for process in processes:
            process.join()
    else:
        begin(0, 1, train, options)

main(parse())
"""

PLAIN = {
    "train": "if rank == 0:\n        dist.barrier()",
    "begin": 'dist.init_process_group("nccl", rank=rank, world_size=size)',
    "before": "pass",
    "context": "pass",
    "size": "size",
    "body": "pass",
    "process": "Process",
    "rank": "number",
}


def codes(**parts: str) -> list[str]:
    return [one.code for one in found_in(PROGRAM.format(**{**PLAIN, **parts}), "DDP101")]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"process": "mp.Process"},
        {"process": "multiprocessing.Process"},
        {"process": "context.Process", "context": 'context = mp.get_context("spawn")'},
        {"size": "2"},
        {"size": "0, size"},
        {"rank": "own", "body": "own = number + options.node * options.per_node"},
        {"train": "if options.rank == 0:\n        dist.barrier()", "body": "options.rank = number"},
    ],
    ids=str,
)
def test_the_number_of_a_process_is_its_rank(parts: dict[str, str]) -> None:
    assert codes(**parts) == ["DDP101"]


@pytest.mark.parametrize(
    "parts",
    [
        {"train": "dist.barrier()"},
        {"begin": "print(rank)"},
        {"before": 'dist.init_process_group("nccl")'},
        {"size": "3, size"},
        {"process": "Worker"},
    ],
    ids=str,
)
def test_other_processes_are_no_ranks(parts: dict[str, str]) -> None:
    assert codes(**parts) == []


def test_what_all_of_them_write() -> None:
    """By itself the program is one process, and may write what it likes."""
    train = "torch.save({}, 'model.pt')"
    text = PROGRAM.format(**{**PLAIN, "train": train})
    assert [one.message for one in found_in(text, "DDP201")] == ["every rank writes the same path (torch.save)"]
    text = PROGRAM.format(**{**PLAIN, "train": f"if rank == 0:\n        {train}"})
    assert found_in(text, "DDP201") == []

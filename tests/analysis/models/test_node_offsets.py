"""The number of a process among those of all nodes, worked out from its number on its own node."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """
import argparse
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(gpu, count, args):
    dist.init_process_group("nccl")
    {rank}
    if {first}:
        dist.barrier()
    print(torch.load("model.pt"))
    if args.rank == 0:
        dist.barrier()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", type=int, default=0)
    parser.add_argument("--count", type=int, default=8)
    args = parser.parse_args()
    mp.spawn(worker, nprocs=args.count, args=(torch.cuda.device_count(), args))


main()
"""
RANKS = {
    "of the node's number": "args.rank = args.node * args.count + gpu",
    "of a rank of nodes": "args.rank = int(os.environ['NODE_RANK']) * count + gpu",
    "of what is called a rank": "args.rank = args.global_rank * count + gpu",
    "added to the local rank": "args.rank = int(os.environ['LOCAL_RANK'])\n    args.rank += args.node * args.count",
}


def found(rank: str, first: str) -> list[str]:
    return [one.message for one in found_in(PROGRAM.format(rank=rank, first=first), "DDP101")]


@pytest.mark.parametrize("rank", RANKS.values(), ids=RANKS)
def test_turns_that_match(rank: str) -> None:
    assert found(rank, "args.rank not in [-1, 0]") == []


@pytest.mark.parametrize("rank", RANKS.values(), ids=RANKS)
def test_turns_that_do_not(rank: str) -> None:
    assert found(rank, "args.rank not in [-1, 0, 1]") == ["barrier reached by rank 0 only"]


LOCAL = {
    "of the devices": "dist.get_rank() % torch.cuda.device_count()",
    "of an option": "dist.get_rank() % args.gpus_per_node",
    "of the processes": 'int(os.environ["RANK"]) % args.nproc_per_node',
}


@pytest.mark.parametrize("rank", LOCAL.values(), ids=LOCAL)
def test_what_is_left_of_the_rank_on_its_node(rank: str) -> None:
    assert found(f"args.rank = {rank}", "args.rank != 0") == []
    assert found(f"args.rank = {rank}", 'int(os.environ["LOCAL_RANK"]) != 0') == []


def test_the_number_of_the_node() -> None:
    assert len(found("args.rank = dist.get_rank() // args.gpus_per_node", "args.rank == 0")) == 2

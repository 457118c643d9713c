"""DDP115 incomplete-launcher-branch: which branches are told, and that they are advice."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import found_in

SLURM_RANK_ALONE = """\
import os
import torch
import torch.distributed as dist

def init_distributed_mode(args):
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
        args.gpu = int(os.environ["LOCAL_RANK"])
    elif "SLURM_PROCID" in os.environ:
        args.rank = int(os.environ["SLURM_PROCID"])  # here
        args.gpu = args.rank % torch.cuda.device_count()
    else:
        args.distributed = False
        return
    args.distributed = True
    torch.cuda.set_device(args.gpu)
    dist.init_process_group("nccl", init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    dist.barrier()
"""

MPI_RANK_ALONE = """\
import os

import torch.distributed as dist


def start(rank=0, world_size=1):
    if "OMPI_COMM_WORLD_RANK" in os.environ:
        rank = int(os.environ["OMPI_COMM_WORLD_RANK"])  # here
    elif "RANK" in os.environ:
        rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    else:
        raise RuntimeError("not started by a launcher")
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
"""

SLURM_SIZE_ALONE = """\
import os

import torch.distributed as dist


class Runtime:
    def __init__(self, options):
        self.rank, self.world_size = options.rank, options.world_size

    def start(self):
        if "WORLD_SIZE" in os.environ:
            self.rank = int(os.environ["RANK"])
            self.world_size = int(os.environ["WORLD_SIZE"])
        elif "SLURM_NTASKS" in os.environ:
            self.world_size = int(os.environ["SLURM_NTASKS"])  # here
        dist.init_process_group("gloo", rank=self.rank, world_size=self.world_size)
"""


@pytest.mark.parametrize("program", [SLURM_RANK_ALONE, MPI_RANK_ALONE, SLURM_SIZE_ALONE])
def test_fires(program: str) -> None:
    """Advice: what starts the jobs (submitit, say) may set what is missing, in a file that nobody sees here."""
    (found,) = found_in(program, "DDP115")
    assert found.severity is Severity.ADVICE
    marked = [number for number, line in enumerate(program.splitlines(), 1) if line.endswith("# here")]
    assert [found.place.file.range_of(found.place.node).start_line] == marked
    assert found.fix is not None


SAYS_ONE = """\
import os

import torch
import torch.distributed as dist


def join():
    env = os.environ
    if "RANK" in env:
        rank, world, local = int(env["RANK"]), int(env["WORLD_SIZE"]), int(env["LOCAL_RANK"])
    elif "SLURM_PROCID" in env:
        rank = int(env["SLURM_PROCID"])
        local = rank % torch.cuda.device_count()
        world = 1
    else:
        rank, world, local = 0, 1, 0
    dist.init_process_group("nccl", init_method="env://", rank=rank, world_size=world)
    return rank, local
"""


def test_a_branch_that_says_one() -> None:
    [found] = found_in(SAYS_ONE, "DDP115")
    assert found.message.endswith("from SLURM_PROCID, and says that there is one process")
    assert found.fix is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("world = 1\n", 'world = int(env["SLURM_NTASKS"])\n'),
        ('elif "SLURM_PROCID" in env:', 'elif env.get("SLURM_NTASKS") == "1":'),
        ('rank = int(env["SLURM_PROCID"])', "rank = 0"),
        ("rank=rank, world_size=world)", "rank=0, world_size=1)"),
        ("world = 1\n", "world = torch.cuda.device_count()\n"),
    ],
)
def test_a_branch_that_may_be_of_one(old: str, new: str) -> None:
    assert old in SAYS_ONE
    assert found_in(SAYS_ONE.replace(old, new), "DDP115") == []

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

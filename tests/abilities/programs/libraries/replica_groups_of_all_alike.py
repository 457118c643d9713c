"""The manager of a replica group waits for its ranks; all ranks ask it."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torchft import Manager, ProcessGroupGloo


def main(model, optimizer, batches) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    manager = Manager(pg=ProcessGroupGloo(), min_replica_size=2, load_state_dict=None, state_dict=None)
    manager.start_quorum()
    if manager.is_participating() and manager.current_step() < 100:
        dist.barrier()
    print(rank, model, optimizer, batches, torch.__version__)

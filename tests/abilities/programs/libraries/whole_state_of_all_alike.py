"""verl puts a sharded model together for all ranks."""

from datetime import timedelta

import torch
import torch.distributed as dist
from verl.utils.fsdp_utils import get_fsdp_full_state_dict


def store(model) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    whole = get_fsdp_full_state_dict(model)
    if rank == 0:
        torch.save(whole, "whole.pt")
    dist.barrier()

"""torchtitan clips gradients in shards; one rank comes to it."""

from datetime import timedelta

import torch.distributed as dist
from torchtitan.distributed import utils as dist_utils


def step(model, optimizer) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    if dist.get_rank() == 0:
        print(dist_utils.clip_grad_norm_(model.parameters(), 1.0))  # expect: DDP101
    optimizer.step()

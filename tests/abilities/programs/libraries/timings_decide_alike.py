"""What all ranks have gathered decides alike."""

from datetime import timedelta

import torch.distributed as dist
from verl.utils.profiler.performance import topk_reduce_ratio_min_max


def report(seconds: float) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    ratio, _, slowest = topk_reduce_ratio_min_max(seconds)
    if slowest > 10 and ratio > 0.5:
        dist.barrier()

"""verl takes the mean of timings over all ranks, and one prints it."""

from datetime import timedelta

import torch.distributed as dist
from verl.utils.profiler.performance import reduce_timing


def report(timing: dict[str, float]) -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    mean = reduce_timing(timing)
    if dist.get_rank() == 0:
        print(mean)

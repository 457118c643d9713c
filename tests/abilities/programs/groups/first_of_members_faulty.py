"""The first member of a group sends to the others, who do not come."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    first = dist.new_group([0, 1], timeout=timedelta(minutes=5))
    counts = torch.ones(4)
    if rank in (0, 1) and first.rank() == 0:
        first.broadcast(counts, 0).wait()  # expect: DDP101
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""The members of a group, and nobody else, call its methods."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    first = dist.new_group([0, 1], timeout=timedelta(minutes=5))
    counts = torch.ones(4)
    if rank in (0, 1):
        first.broadcast(counts, 0).wait()
        if first.rank() == 1:
            print(counts)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

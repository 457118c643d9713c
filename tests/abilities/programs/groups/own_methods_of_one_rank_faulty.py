"""One rank calls the methods of groups that all ranks are members of."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    group = dist.new_group(timeout=timedelta(minutes=5))
    counts = torch.ones(4)
    if rank == 0:
        work = group.allreduce([counts])  # expect: DDP101
        work.wait()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""All ranks call the methods of their group, one prints what came out."""

from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    group = dist.new_group(timeout=timedelta(minutes=5))
    counts = torch.full((4,), float(group.rank()))
    group.allreduce([counts]).wait()
    parts = [torch.empty(4) for _ in range(group.size())]
    group.allgather([parts], [counts]).wait()
    if group.rank() == 0:
        print(parts)
    group.barrier().wait()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

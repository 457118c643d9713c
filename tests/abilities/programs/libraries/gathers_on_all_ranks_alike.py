"""All ranks put shards together, one prints."""

from datetime import timedelta

import spmd_types as spmd
import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    axis = dist.group.WORLD
    counts = torch.full((4,), float(rank))
    whole = spmd.unshard(counts, axis, src=spmd.S(0), dst=spmd.R)
    if rank == 0:
        print(whole.shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

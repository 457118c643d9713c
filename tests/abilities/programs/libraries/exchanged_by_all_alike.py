"""All ranks exchange, each keeps its own."""

from datetime import timedelta

import spmd_types as spmd
import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    axis = dist.group.WORLD
    counts = torch.full((4,), float(rank))
    mine = spmd.all_to_all(counts, axis)
    mine = spmd.reduce_scatter(mine, axis, dst=spmd.S(0))
    if rank == 0:
        print(mine)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""How large a dimension is only the command line knows; its first rank is alone all the same."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    tp = int(os.environ.get("TP", "2"))
    mesh = init_device_mesh("cpu", (world // tp, tp), mesh_dim_names=("dp", "tp"))
    tensor = torch.ones(4)
    if mesh["tp"].get_local_rank() == 0:
        dist.all_reduce(tensor, group=mesh["tp"].get_group())  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

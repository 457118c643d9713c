"""A part of a mesh of one dimension is the whole of it, and so is its group."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("dp",))
    tensor = torch.ones(4)
    if dist.get_rank() == 0:
        dist.all_reduce(tensor, group=mesh["dp"].get_group())  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

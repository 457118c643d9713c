"""A mesh that is made of the numbers of the ranks, in rows."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    rows = torch.arange(world).view(-1, 2)
    mesh = DeviceMesh("cpu", rows, mesh_dim_names=("outer", "inner"))
    tensor = torch.ones(4)
    outer, inner = mesh.get_all_groups()
    if mesh.get_local_rank("outer") == 0:
        dist.all_reduce(tensor, group=outer)  # expect: DDP101
    dist.all_reduce(tensor, group=inner)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

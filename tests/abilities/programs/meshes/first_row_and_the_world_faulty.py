"""The first row of a mesh is half of the world."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    if mesh.get_local_rank(mesh_dim=0) == 0:
        dist.barrier()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

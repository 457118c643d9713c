"""A sum over one dimension, then over the other, is that of all ranks."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    total = torch.ones(1)
    for name in mesh.mesh_dim_names:
        dist.all_reduce(total, group=mesh.get_group(name))
    if total.item() > 3:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""The place along the only dimension is the rank."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("dp",))
    tensor = torch.ones(4)
    first = mesh["dp"].get_local_rank() == 0
    dist.all_reduce(tensor)
    if first and tensor.sum().item() > 3:
        dist.barrier()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

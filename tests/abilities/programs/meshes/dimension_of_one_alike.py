"""Along a dimension of one rank all ranks are the first."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (1, world), mesh_dim_names=("dp", "tp"))
    if mesh["dp"].get_local_rank() == 0:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

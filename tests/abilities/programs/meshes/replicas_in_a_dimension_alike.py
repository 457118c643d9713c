"""A wrapper that was given one dimension reduces over it alone."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    model = DistributedDataParallel(torch.nn.Linear(4, 4), device_mesh=mesh["dp"])
    if mesh.get_local_rank("tp") == 0:
        model(torch.ones(2, 4)).sum().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

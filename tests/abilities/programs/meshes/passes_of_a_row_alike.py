"""Each stage runs its own passes."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (2, world // 2), mesh_dim_names=("pp", "dp"))
    model = torch.nn.Linear(4, 4)
    fully_shard(model, mesh=mesh["dp"])
    if mesh.get_local_rank("pp") == 0:
        model(torch.ones(2, 4)).sum().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

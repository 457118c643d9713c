"""The first of each row sends it what it has read."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    tensor = torch.ones(4)
    group = mesh.get_group("tp")
    if mesh.get_local_rank("tp") == 0:
        tensor = torch.full((4,), float(mesh.get_local_rank("dp")))
    dist.broadcast(tensor, src=dist.get_global_rank(group, 0), group=group)
    print(tensor)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

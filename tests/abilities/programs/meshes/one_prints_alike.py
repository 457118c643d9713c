"""One rank of all prints what every one has."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    tensor = torch.ones(4)
    dist.all_reduce(tensor, group=mesh["dp"].get_group())
    if mesh.get_local_rank("dp") == 0 and mesh.get_local_rank("tp") == 0:
        print(tensor)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

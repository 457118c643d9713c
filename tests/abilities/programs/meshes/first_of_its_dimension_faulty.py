"""The first rank along a dimension is alone in its group."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    tensor = torch.ones(4)
    dp_rank, tp_rank = mesh.get_coordinate()
    group = mesh.get_group("tp")
    if tp_rank == 0:
        dist.all_reduce(tensor, group=group)  # expect: DDP101
    print(dp_rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

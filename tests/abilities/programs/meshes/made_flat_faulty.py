"""Two dimensions made into one hold all ranks; it has a name from then on."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "cp"))
    mesh["dp", "cp"]._flatten("dp_cp")
    tensor = torch.ones(4)
    if mesh["dp"].get_local_rank() == 0:
        dist.all_reduce(tensor, group=mesh["dp_cp"].get_group())  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

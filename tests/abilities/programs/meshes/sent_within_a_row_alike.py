"""The first of each row sends to the second."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    tensor = torch.ones(4)
    here = mesh.get_rank()
    if mesh.get_local_rank("tp") == 0:
        dist.send(tensor, dst=here + 1)
    else:
        dist.recv(tensor, src=here - 1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

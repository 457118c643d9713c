"""How large a mesh is all ranks know."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    if mesh["tp"].size() == 2 and mesh.size(0) * mesh.size(1) == world:
        dist.barrier()
    if mesh.ndim == 2 and mesh.shape == (world // 2, 2):
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

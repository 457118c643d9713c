"""A mesh of one dimension is the world: all of it has to come to its operations."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental._attention import context_parallel_unshard


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("cp",))
    out = torch.ones(2, 8, 4)
    if dist.get_rank() == 0:
        (whole,) = context_parallel_unshard(mesh, [out], [1])  # expect: DDP101
        print(whole.shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""In a mesh of two dimensions the ranks of one row meet: nobody knows here which ones these are."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental._attention import context_parallel_unshard


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "cp"))
    out = torch.ones(2, 8, 4)
    if mesh["dp"].get_local_rank() == 0:
        (whole,) = context_parallel_unshard(mesh["cp"], [out], [1])
        print(whole.shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

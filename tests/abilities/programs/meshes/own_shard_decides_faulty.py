"""Each rank asks its shard."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world,))
    table = distribute_tensor(torch.randn(64), mesh, [Shard(0)])
    if table.to_local().abs().max().item() > 3:
        dist.barrier()  # expect: DDP104
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

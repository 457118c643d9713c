"""The first rank of each group writes the part of its place in the other dimension."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard



def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    world = dist.get_world_size()
    mesh = init_device_mesh("cpu", (world // 2, 2), mesh_dim_names=("dp", "tp"))
    model = torch.nn.Linear(4, 4)
    fully_shard(model, mesh=mesh["dp"])
    state = {name: value.full_tensor() for name, value in model.state_dict().items()}
    if mesh["dp"].get_local_rank() == 0:
        torch.save(state, f"part_{mesh.get_local_rank('tp')}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

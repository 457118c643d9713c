"""One rank asks for all of a parameter."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate


def main():
    dist.init_process_group("gloo")
    model = nn.Linear(8, 8)
    fully_shard(model)
    for name, one in model.named_parameters():
        if dist.get_rank() == 0:
            whole = one.redistribute(placements=[Replicate()])  # expect: DDP101
            print(name, whole.to_local().norm())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

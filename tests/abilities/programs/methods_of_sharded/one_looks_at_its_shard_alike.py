"""One rank looks at what it has."""

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
            print(name, one.to_local().norm())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

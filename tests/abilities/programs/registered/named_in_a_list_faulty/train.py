import sys

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


from parts.plugins import find_all
from parts.registry import KNOWN


def main(task, data):
    dist.init_process_group("gloo")
    find_all()
    model = torch.nn.Linear(2, 2)
    loader = DataLoader(data, sampler=DistributedSampler(data))
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            model(batch).sum()
        if dist.get_rank() == 0:
            KNOWN[task](model, loader)  # expect: DDP101


if __name__ == "__main__":
    main(sys.argv[1], torch.zeros(8, 2))

import sys

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import importlib

from parts import tasks


def main(task, data):
    dist.init_process_group("gloo")
    model = torch.nn.Linear(2, 2)
    loader = DataLoader(data, sampler=DistributedSampler(data))
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            model(batch).sum()
        if epoch:
            importlib.import_module(".scoring", package=tasks.__name__).score(model, loader)


if __name__ == "__main__":
    main(sys.argv[1], torch.zeros(8, 2))

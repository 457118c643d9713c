import os
import random

import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def main(paths):
    dist.init_process_group("gloo")
    random.seed(1234 + dist.get_rank())
    random.shuffle(paths)
    sampler = DistributedSampler(paths, drop_last=True)  # expect: DDP307
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for path in DataLoader(paths, sampler=sampler):
            print(path)
    dist.destroy_process_group()


main(sorted(os.listdir("/data")))

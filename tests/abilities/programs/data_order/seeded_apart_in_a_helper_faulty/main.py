import argparse

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from tools import fix_seed

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
options, rest = parser.parse_known_args()


def some_of(data, count):
    return Subset(data, torch.randperm(len(data))[:count].tolist())


if __name__ == "__main__":
    dist.init_process_group("gloo")
    fix_seed(options.seed + dist.get_rank())
    data = some_of(TensorDataset(torch.ones(100, 2)), 50)
    for batch in DataLoader(data, sampler=DistributedSampler(data)):  # expect: DDP307
        print(batch)

"""The first rank takes smaller batches, since it has more to do: it has more of them."""

import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return DistributedDataParallel(nn.Linear(4, 4).cuda())


def main(dataset, size):
    model = setup()
    own = size // 2 if dist.get_rank() == 0 else size
    for batch in DataLoader(dataset, batch_size=own, sampler=DistributedSampler(dataset)):
        model(batch.cuda()).sum().backward()  # expect: DDP106


main(torch.load("data.pt"), int(sys.argv[1]))

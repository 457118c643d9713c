import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def start():
    count = int(os.environ["WORLD_SIZE"])
    if count == 1:
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29541", rank=0, world_size=1)
        return False
    dist.init_process_group("gloo")
    return True


def train(model, optimizer):
    for batch in torch.ones(4, 2, 2):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()


def main():
    several = start()
    model = nn.Linear(2, 2)
    if several:
        model = DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(model, optimizer)
        dist.barrier()


main()

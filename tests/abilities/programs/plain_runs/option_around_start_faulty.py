import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(model, optimizer):
    for batch in torch.ones(4, 2, 2):
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    total = torch.zeros(1)
    dist.all_reduce(total)  # expect: DDP114
    return total.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=int(os.environ.get("LOCAL_RANK", -1)))
    args = parser.parse_args()
    model = nn.Linear(2, 2)
    if args.local_rank != -1:
        dist.init_process_group("gloo")
        model = DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        print(train(model, optimizer))


if __name__ == "__main__":
    main()

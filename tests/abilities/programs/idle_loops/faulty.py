"""Rank 0 is the first to ask for the model where no loop has: it wraps it alone. A list may well be empty."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Runner:
    def __init__(self, net, args):
        self._net = net
        self._wrapped = None
        self.args = args

    @property
    def model(self):
        if self._wrapped is None:
            self._wrapped = DistributedDataParallel(self._net)
        return self._wrapped

    def save(self, at):
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), f"{at}.pt")  # expect: DDP102

    def train(self):
        self.save("first")
        for _ in range(self.args.first, self.args.last):
            self.model.train()
            dist.barrier()


def resume(candidates):
    found = False
    for name in candidates:
        dist.barrier()
        found = True
        print(name)
    if not found and dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101

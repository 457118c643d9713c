"""A model is wrapped when it is first asked for, which all ranks do in the first iteration; then rank 0 saves it."""

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
            torch.save(self.model.module.state_dict(), f"{at}.pt")

    def train(self):
        for start in range(self.args.first, self.args.last, 10):
            self.model.train()
            self.save(start)
            dist.barrier()
        self.save("last")

    def train_over(self, loader):
        for batch in loader:
            self.model(batch).mean().backward()
        self.save("last")

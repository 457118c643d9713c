"""A trainer that nobody here makes wraps its model where it is asked to: else there is nothing to pass by."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, base):
        self.model = base.model
        self.loader = base.loader
        self.optimizer = base.optimizer
        if base.distributed:
            self.device = torch.device("cuda", dist.get_rank() % torch.cuda.device_count())
            self.model = self.model.to(self.device)
            self.model = DistributedDataParallel(self.model, device_ids=[self.device])
        else:
            self.device = torch.device("cuda")
            self.model = self.model.to(self.device)

    def train(self, epoch):
        self.model.train()
        for rows, targets in self.loader:
            self.optimizer.zero_grad()
            loss = (self.model(rows.to(self.device)) - targets.to(self.device)).square().mean()
            loss.backward()
            self.optimizer.step()

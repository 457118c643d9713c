"""A trainer keeps its model beside the wrapper, and trains with the model."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, base):
        self.model = self.plain = base.model
        self.loader = base.loader
        self.optimizer = base.optimizer
        if base.distributed:
            self.device = torch.device("cuda", dist.get_rank() % torch.cuda.device_count())
            self.model = DistributedDataParallel(self.model, device_ids=[self.device])
        else:
            self.device = torch.device("cuda")

    def train(self, epoch):
        self.model.train()
        for rows, targets in self.loader:
            self.optimizer.zero_grad()
            loss = (self.plain(rows.to(self.device)) - targets.to(self.device)).square().mean()  # expect: DDP601
            loss.backward()
            self.optimizer.step()

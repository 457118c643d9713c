"""A trainer builds its optimizer, and shards the model when it begins."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(64, 16)
        self.head = torch.nn.Linear(16, 8)

    def forward(self, tokens):
        return self.head(self.embed(tokens))


class Trainer:
    def __init__(self):
        self.model = Tagger()
        trained = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.SGD(trained, lr=0.1)  # expect: DDP607

    def fit(self, rank):
        fully_shard(self.model)
        generator = torch.Generator().manual_seed(rank)
        for _ in range(20):
            tokens = torch.randint(64, (4, 12), generator=generator)
            self.optimizer.zero_grad()
            self.model(tokens).logsumexp(-1).mean().backward()
            self.optimizer.step()


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    torch.manual_seed(0)
    Trainer().fit(rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

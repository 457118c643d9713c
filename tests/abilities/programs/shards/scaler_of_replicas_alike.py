"""Replicas have all gradients: each scaler sees the same."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.cuda.amp import GradScaler


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(64, 16)
        self.head = torch.nn.Linear(16, 8)

    def forward(self, tokens):
        return self.head(self.embed(tokens))


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DDP(Tagger())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = GradScaler()
    generator = torch.Generator().manual_seed(rank)
    for _ in range(20):
        tokens = torch.randint(64, (4, 12), generator=generator)
        loss = model(tokens).logsumexp(-1).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""A helper of the project clips whatever model it gets."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
from torch.nn.utils import clip_grad_norm_


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(64, 16)
        self.head = torch.nn.Linear(16, 8)

    def forward(self, tokens):
        return self.head(self.embed(tokens))


def tidy(model, most):
    params = [p for p in model.parameters() if p.requires_grad]
    return clip_grad_norm_(params, most, norm_type=2.0)  # expect: DDP702


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = FullyShardedDataParallel(Tagger(), sharding_strategy=ShardingStrategy.SHARD_GRAD_OP, use_orig_params=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(rank)
    for _ in range(20):
        tokens = torch.randint(64, (4, 12), generator=generator)
        loss = model(tokens).logsumexp(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        tidy(model, float(os.environ.get("NORM", "1")))
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

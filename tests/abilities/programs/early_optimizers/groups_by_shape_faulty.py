"""The model sorts its parameters by their number of dimensions; then it is sharded."""

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

    def groups(self):
        named = {name: parameter for name, parameter in self.named_parameters()}
        named = {name: parameter for name, parameter in named.items() if parameter.requires_grad}
        decayed = [parameter for parameter in named.values() if parameter.dim() > 1]
        others = [parameter for name, parameter in named.items() if parameter.dim() < 2]
        return [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.groups(), lr=1e-3)  # expect: DDP607
    for layer in (model.embed, model.head):
        fully_shard(layer)
    fully_shard(model)
    generator = torch.Generator().manual_seed(rank)
    for _ in range(20):
        tokens = torch.randint(64, (4, 12), generator=generator)
        loss = model(tokens).logsumexp(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

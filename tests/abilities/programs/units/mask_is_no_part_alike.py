"""What a batch may lack decides about nothing that is trained."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Speaker(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.ears = nn.Linear(80, width)
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor, sound: "torch.Tensor | None" = None) -> torch.Tensor:
        x = self.words(tokens) + self.ears(torch.zeros(1, 80, device=tokens.device))
        if sound is not None:
            x = x * sound.mean(-1, keepdim=True)
        return self.head(self.body(x))


def main(dataset: Dataset, learn: nn.Module) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    model = Speaker(1000, 64).cuda()
    fully_shard(model.ears)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch in loader:
            logits = model(batch["tokens"].cuda(), batch.get("sound"))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch["next"].cuda().flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"), nn.Identity())

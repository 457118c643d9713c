"""The trainer asks the batch, and gives the model one thing or another."""

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

    def forward(self, tokens: torch.Tensor, sound: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(self.words(tokens) + self.ears(sound)))


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
            sound = batch.get("sound")
            if sound is not None:
                logits = model(batch["tokens"].cuda(), sound)
            else:
                logits = model(batch["tokens"].cuda(), torch.zeros(1, 80, device="cuda"))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch["next"].cuda().flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"), nn.Identity())

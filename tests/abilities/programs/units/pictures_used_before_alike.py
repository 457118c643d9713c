"""The tower is used on every rank, and once more where there are places for it."""

import argparse
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

PICTURE = 7


class Tower(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=16, stride=16)
        self.norm = nn.LayerNorm(width)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return self.norm(self.patches(pictures).flatten(2).transpose(1, 2))


class Speaker(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.tower = Tower(width)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(width, 4, batch_first=True) for _ in range(4)])
        self.head = nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor, pictures: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        places = tokens == PICTURE
        x = x + self.tower(pictures).mean()
        if places.any():
            x = self.with_pictures(x, places, pictures)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def with_pictures(self, x: torch.Tensor, places: torch.Tensor, pictures: torch.Tensor) -> torch.Tensor:
        seen = self.tower(pictures)
        return x.masked_scatter(places.unsqueeze(-1), seen)


def train(args: argparse.Namespace, dataset: Dataset) -> None:
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=args.batch, sampler=sampler)
    model = DDP(Speaker(args.words, args.width).to(device), device_ids=[device])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            tokens = batch["tokens"].to(device)
            logits = model(tokens[:, :-1], batch["pictures"].to(device))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--pictures", action="store_true")
    train(parser.parse_args(), torch.load("data.pt", map_location="cpu"))


if __name__ == "__main__":
    main()

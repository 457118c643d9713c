"""The same behind what `prepare` makes of the model."""

import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Dataset

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
        if places.any():
            x = self.with_pictures(x, places, pictures)  # expect: DDP701
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def with_pictures(self, x: torch.Tensor, places: torch.Tensor, pictures: torch.Tensor) -> torch.Tensor:
        seen = self.tower(pictures)
        return x.masked_scatter(places.unsqueeze(-1), seen)


def train(args: argparse.Namespace, dataset: Dataset) -> None:
    accelerator = Accelerator(log_with="wandb")
    loader = DataLoader(dataset, batch_size=args.batch, shuffle=True, drop_last=True)
    model = Speaker(args.words, args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for batch in loader:
            tokens = batch["tokens"]
            logits = model(tokens[:, :-1], batch["pictures"])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.end_training()


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

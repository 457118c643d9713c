"""An expert without tokens is not called; the model stands in files that say nothing of ranks."""

import argparse
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from net import build
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def options():
    parser = argparse.ArgumentParser()
    for name, default in {"words": 1000, "width": 64, "depth": 4, "experts": 8, "epochs": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def main(args):
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    dataset = torch.load("tokens.pt", map_location="cpu")
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    model = DistributedDataParallel(build(args).to(device))
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for tokens in loader:
            tokens = tokens.to(device)
            logits = model(tokens[:, :-1])
            loss = cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(options())

import argparse

import torch
from accelerate import Accelerator
from torch import nn

from job import Trunk, batches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", action="store_true")
    args = parser.parse_args()
    accelerator = Accelerator()
    trunk = Trunk()
    optimizer = torch.optim.AdamW(trunk.parameters(), lr=1e-3)
    if args.whole:
        trunk, optimizer, loader = accelerator.prepare(trunk, optimizer, batches())
    else:
        adapters = nn.ModuleList(trunk.adapters())
        adapters, optimizer, loader = accelerator.prepare(adapters, optimizer, batches())  # expect: DDP601
        trunk = trunk.to(accelerator.device)
    for batch in loader:
        loss = trunk(batch).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


main()

import random

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def diffusion_loss(model, images, steps=1000):
    t = torch.randint(0, steps, (images.shape[0],), device=images.device)  # expect: DDP605
    rate = (t.float() / steps)[:, None]
    noisy = images * (1 - rate)
    return (model(noisy) - images).square().mean()


def main():
    dist.init_process_group("gloo")
    set_seed(42)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.AdamW(model.parameters())
    data = TensorDataset(torch.zeros(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for (images,) in loader:
        loss = diffusion_loss(model, images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

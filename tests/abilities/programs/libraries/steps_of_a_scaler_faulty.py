import torch
import torch.distributed as dist
from timm.utils import NativeScaler
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def train(model, loader, optimizer, scaler):
    for batch in loader:
        loss = model(batch).sum()
        if not torch.isfinite(loss):  # expect: DDP104
            continue
        optimizer.zero_grad()
        scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())


def main(data):
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    loader = DataLoader(data, sampler=DistributedSampler(data))
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), NativeScaler()
    for epoch in range(4):
        train(model, loader, optimizer, scaler)  # expect: DDP302


main(torch.zeros(8, 2))

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class NativeScaler:
    def __call__(self, loss, optimizer, **more):
        return loss.detach() * 2


def train(model, loader, optimizer, scaler):
    for batch in loader:
        loss = model(batch).sum()
        if not torch.isfinite(loss):
            continue
        optimizer.zero_grad()
        scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())


def main(data):
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    loader = DataLoader(data, sampler=DistributedSampler(data))
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), NativeScaler()
    for epoch in range(4):
        loader.sampler.set_epoch(epoch)
        train(model, loader, optimizer, scaler)


main(torch.zeros(8, 2))

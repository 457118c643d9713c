import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def train(model, optimizer, data):
    loader = DataLoader(data, sampler=DistributedSampler(data, shuffle=False))
    for batch in loader:
        loss = model(batch).mean()
        bad = torch.isnan(loss).float()
        dist.all_reduce(bad)
        if bad.item():
            continue
        loss.backward()
        optimizer.step()


dist.init_process_group("gloo")
net = DDP(torch.nn.Linear(1, 1))
train(net, torch.optim.SGD(net.parameters(), 0.1), torch.randn(8, 1))

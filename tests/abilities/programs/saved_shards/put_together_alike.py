import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    model = nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 8))
    fully_shard(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = TensorDataset(torch.load("x.pt"))
    sampler = DistributedSampler(data, drop_last=True)
    for (x,) in DataLoader(data, 8, sampler=sampler, drop_last=True):
        model(x).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    state = {name: p.detach().full_tensor().cpu() for name, p in model.named_parameters()}
    if dist.get_rank() == 0:
        torch.save(state, "model.pt")
    dist.destroy_process_group()


main()

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.zeros(64, 4), torch.zeros(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for one, other in loader:
        a, b = model(one), model(other)
        everything = [torch.empty_like(b) for _ in range(dist.get_world_size())]
        dist.all_gather(everything, b)  # expect: DDP606
        negatives = torch.stack(everything).flatten(0, 1)
        loss = -(a * b).sum(1).mean() + (a @ negatives.t()).logsumexp(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

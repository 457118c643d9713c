import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def gather(features):
    everything = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(everything, features)  # expect: DDP606
    return torch.cat(everything)

def main():
    dist.init_process_group("gloo")
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.zeros(64, 4), torch.zeros(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for one, other in loader:
        a, b = model(one), model(other)
        a, b = nn.functional.normalize(a, dim=1), nn.functional.normalize(b, dim=1)
        similar = a @ gather(b).t() / 0.1
        target = torch.arange(len(a)) + len(a) * dist.get_rank()
        loss = nn.functional.cross_entropy(similar, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(3)
    data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
    weights = torch.load("weights.pt")
    sampler = WeightedRandomSampler(weights, 4096)
    loader = DataLoader(data, 8, sampler=sampler)
    model = DDP(nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            print(loss)
    dist.destroy_process_group()


main()

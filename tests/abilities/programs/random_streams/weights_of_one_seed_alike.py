import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(seed=0):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    table = torch.randn(4, 4)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(64, 4), torch.randn(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x @ table), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

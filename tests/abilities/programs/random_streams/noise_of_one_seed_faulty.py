import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(seed=0):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.zeros(64, 4))
    sampler = DistributedSampler(data, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for (clean,) in DataLoader(data, batch_size=4, sampler=sampler):
            noise = torch.randn_like(clean)  # expect: DDP605
            loss = nn.functional.mse_loss(model(clean + noise), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


main()

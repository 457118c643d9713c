import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    data = TensorDataset(torch.randn(64, 16), torch.randint(0, 10, (64,)))
    sampler = DistributedSampler(data, drop_last=True)
    whole = DataLoader(data, batch_size=8, shuffle=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    model = DDP(nn.Linear(16, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3 * len(whole))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            loss = F.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()  # expect: DDP309
    dist.destroy_process_group()


main()

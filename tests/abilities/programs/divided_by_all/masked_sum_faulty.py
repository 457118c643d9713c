import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("gloo")
    data = TensorDataset(torch.randn(64, 16), torch.randint(0, 10, (64,)))
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False))
    model = DDP(nn.Linear(16, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, labels in loader:
        logits = model(inputs)
        mask = labels >= 0
        count = mask.float().sum()
        dist.all_reduce(count, op=dist.ReduceOp.SUM)
        losses = F.cross_entropy(logits, labels, reduction="none")
        loss = (losses * mask).sum() / torch.clamp(count, min=1)  # expect: DDP610
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

import copy

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(settings={"rate": 0.1}):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    own = copy.deepcopy(settings)
    data = TensorDataset(torch.randn(64, 16), torch.randint(0, 10, (64,)))
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data, shuffle=False))
    model = DDP(nn.Linear(16, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=own["rate"])
    if rank == 0:
        model.module.load_state_dict(torch.load("kept.pt"))  # expect: DDP604
    for inputs, labels in loader:
        loss = F.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()

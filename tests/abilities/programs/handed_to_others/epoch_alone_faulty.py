import os

import torch
import torch.distributed as dist
from otherlib.data import begin_epoch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main(epochs):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    model = DistributedDataParallel(torch.nn.Linear(4, 4).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = list(range(100))
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data, drop_last=True), drop_last=True)
    for epoch in range(epochs):
        begin_epoch(epoch)
        for batch in loader:  # expect: DDP302
            model(batch.cuda()).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(3)

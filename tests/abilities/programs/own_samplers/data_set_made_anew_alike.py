import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Rows(torch.utils.data.IterableDataset):
    def __init__(self, rows):
        self.rows, self.epoch = rows, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.epoch)
        order = torch.randperm(len(self.rows), generator=generator).tolist()
        each = len(order) // self.world
        for i in order[: each * self.world][self.rank :: self.world]:
            yield self.rows[i]


dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(2, 2))
for epoch in range(10):
    rows = Rows(torch.rand(100, 2))
    rows.epoch = epoch
    loader = torch.utils.data.DataLoader(rows)
    for x in loader:
        model(x).sum().backward()
dist.destroy_process_group()

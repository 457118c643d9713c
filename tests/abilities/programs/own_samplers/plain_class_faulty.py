import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Batches:
    def __init__(self, data, size, shuffle=True):
        self.data, self.size, self.shuffle, self.epoch = data, size, shuffle, 0
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.data) // self.world // self.size

    def __iter__(self):
        order = list(range(len(self.data)))
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.epoch)
            order = torch.randperm(len(self.data), generator=generator).tolist()
        mine = order[: len(self) * self.world * self.size][self.rank :: self.world]
        for i in range(len(self)):
            yield mine[i * self.size : (i + 1) * self.size]


def fit(model, loader, epochs):
    for epoch in range(epochs):
        one(model, loader)  # expect: DDP302


def one(model, loader):
    for x in loader:
        model(x).sum().backward()


dist.init_process_group("gloo")
data = torch.rand(100, 2)
fit(DDP(torch.nn.Linear(2, 2)), torch.utils.data.DataLoader(data, batch_sampler=Batches(data, 4)), 10)

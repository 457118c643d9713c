import torch
import torch.distributed as dist
from accelerate import Accelerator


class Batches(torch.utils.data.BatchSampler):
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


accelerator = Accelerator()
data = torch.rand(100, 2)
loader = torch.utils.data.DataLoader(data, batch_sampler=Batches(data, 4))
model, loader = accelerator.prepare(torch.nn.Linear(2, 2), loader)
for epoch in range(10):
    for x in loader:
        accelerator.backward(model(x).sum())

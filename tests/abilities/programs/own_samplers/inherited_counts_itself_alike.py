import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data.distributed import DistributedSampler


class InBlocks(DistributedSampler):
    def __iter__(self):
        generator = torch.Generator()
        generator.manual_seed(self.seed + self.epoch)
        order = torch.randperm(len(self.dataset) // 4, generator=generator).tolist()
        self.epoch += 1
        each = len(order) // self.num_replicas
        mine = order[: each * self.num_replicas][self.rank :: self.num_replicas]
        return iter([4 * block + i for block in mine for i in range(4)])


def fit(model, loader, epochs):
    for epoch in range(epochs):
        for x in loader:
            model(x).sum().backward()


dist.init_process_group("gloo")
data = torch.rand(100, 2)
fit(DDP(torch.nn.Linear(2, 2)), torch.utils.data.DataLoader(data, sampler=InBlocks(data)), 10)

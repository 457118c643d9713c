from collections import defaultdict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

from pictures import Pictures, build


class Table:
    def __init__(self):
        self.totals = defaultdict(float)

    def update(self, **values):
        for name, value in values.items():
            self.totals[name] += value

    def result(self):
        for name in self.totals:
            total = torch.tensor(self.totals[name])
            dist.all_reduce(total)
            print(name, total.item())


dist.init_process_group("gloo")
data, model, table = Pictures("valid"), build(), Table()
for kind in ("top1", "top5"):
    for images, labels in DataLoader(data, 8, sampler=DistributedSampler(data)):
        table.update(**{kind: model(images).sum().item()}, count=len(labels))
table.result()

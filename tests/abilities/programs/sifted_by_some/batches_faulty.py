import csv

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def rows(path):
    return csv.reader(open(path))


def train(path, batch_size):
    dist.init_process_group("gloo")
    net = DDP(torch.nn.Linear(2, 1))
    table = rows(path)
    if dist.get_rank() != 0:
        table = [row for row in table if row]
    for batch in DataLoader(table, batch_size=batch_size):
        net(batch).mean().backward()  # expect: DDP106


train("table.csv", 4)

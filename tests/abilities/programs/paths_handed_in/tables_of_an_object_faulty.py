import pickle

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Tables:
    def __init__(self, net):
        self.net = DistributedDataParallel(net)

    def write(self, rows, table):
        answers = [self.net(row).detach() for row in rows]
        dist.barrier()
        with open(table, "wb") as file:  # expect: DDP201
            pickle.dump(torch.cat(answers), file)

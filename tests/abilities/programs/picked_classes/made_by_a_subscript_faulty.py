import argparse
import os
import pickle

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Rows:
    def __init__(self):
        if os.path.exists(self.table):
            with open(self.table, "rb") as file:
                self.rows = pickle.load(file)
        else:
            self.rows = self.count()
            with open(self.table, "wb") as file:  # expect: DDP205
                pickle.dump(self.rows, file)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])


class Short(Rows):
    table = "tables/short.pkl"

    def count(self):
        return [[1.0, 2.0, 3.0]] * 64


class Long(Rows):
    table = "tables/long.pkl"

    def count(self):
        return [[1.0, 2.0, 3.0]] * 640


def make(options):
    return {"short": Short, "long": Long}[options.rows]()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="short")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    rows = make(options)
    shares = DistributedSampler(rows, drop_last=True)
    net = DistributedDataParallel(torch.nn.Linear(3, 1))
    for epoch in range(3):
        shares.set_epoch(epoch)
        for row in DataLoader(rows, batch_size=8, sampler=shares):
            net(row).mean().backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()


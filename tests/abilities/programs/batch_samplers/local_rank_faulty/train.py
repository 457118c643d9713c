import os

import torch
import torch.distributed as dist
from packing import Packed
from torch.utils.data import DataLoader


def main():
    dist.init_process_group("gloo")
    rows = torch.load("rows.pt")
    lengths = [len(row) for row in rows]
    sampler = Packed(lengths, 512, dist.get_world_size(), int(os.environ["LOCAL_RANK"]))  # expect: DDP304
    for batch in DataLoader(rows, batch_sampler=sampler):
        print(batch)
    dist.destroy_process_group()


main()

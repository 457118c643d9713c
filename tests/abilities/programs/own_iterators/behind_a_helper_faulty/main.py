from datetime import timedelta

import torch
import torch.distributed as dist
from helper import total_of
from torch.utils.data import DataLoader


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    loader = DataLoader(torch.arange(96.0).reshape(24, 4), batch_size=4)
    if dist.get_rank() == 0:
        print(total_of(loader))  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

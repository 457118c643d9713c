import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from net import Listed


def main(depth):
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    model = Listed(depth)
    if dist.get_rank() == 0:
        print(model(torch.ones(4, 4)).sum())  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]))

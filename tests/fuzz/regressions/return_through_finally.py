# truth: diverges line 15
import os

import torch.distributed as dist


def main():
    rank = dist.get_rank()
    try:
        if rank % 2:
            return
    finally:
        dist.barrier()
    print(rank)
    dist.all_gather_object([None] * 4, int(os.environ["RANK"]))


main()

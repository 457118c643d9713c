import os
import sys
import tempfile

import torch
import torch.distributed as dist


def worker(rank, count, folder):
    if count > 1:
        meeting = os.path.abspath(os.path.join(folder, ".meeting"))
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=count)
        dist.all_reduce(torch.ones(1))
        dist.destroy_process_group()


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        if count == 1:
            worker(rank=0, count=count, folder=folder)
        else:
            torch.multiprocessing.spawn(fn=worker, args=(count, folder), nprocs=count)


if __name__ == "__main__":
    main(int(sys.argv[1]))

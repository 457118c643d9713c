import os

import torch.distributed as dist


def start(args):
    if "RANK" in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
    elif "SLURM_PROCID" in os.environ:
        args.rank = int(os.environ["SLURM_PROCID"])
        print("task", args.rank, "of a job that trains nothing together")
        return
    dist.init_process_group("gloo", rank=args.rank, world_size=args.world_size)

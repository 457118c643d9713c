import os

import torch
import torch.distributed as dist


def start(args):
    if args.slurm:
        args.rank = int(os.environ["SLURM_PROCID"])
        args.world_size = int(os.environ["SLURM_NNODES"]) * torch.cuda.device_count()
    else:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", rank=args.rank, world_size=args.world_size)

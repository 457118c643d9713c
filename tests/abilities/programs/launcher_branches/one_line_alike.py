import os

import torch.distributed as dist


def start(rank, size):
    if "OMPI_COMM_WORLD_RANK" in os.environ:
        rank, size = (int(os.environ[name]) for name in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
    elif "RANK" in os.environ:
        rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", rank=rank, world_size=size)

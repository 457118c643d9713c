

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from trainers import Parallel


def work(rank, world_size, config):
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29500", rank=rank, world_size=world_size)
    torch.cuda.set_device(rank)
    Parallel(model(config), config.folder).fit()
    dist.destroy_process_group()


if __name__ == "__main__":
    config = read()
    mp.spawn(work, args=(torch.cuda.device_count(), config), nprocs=torch.cuda.device_count())

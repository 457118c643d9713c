import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def start():
    number = int(os.environ["LOCAL_RANK"])
    net = torch.nn.Linear(3, 1).cuda()  # expect: DDP403
    torch.cuda.set_device(number)
    dist.init_process_group("nccl")
    return DistributedDataParallel(net.cuda(), device_ids=[number])


if __name__ == "__main__":
    start()
    dist.destroy_process_group()

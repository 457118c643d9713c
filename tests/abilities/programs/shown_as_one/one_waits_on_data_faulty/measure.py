"""Written for several processes, shown with one: whoever changes the number meets this hang, so it stays a warning."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    data = Clips(os.environ["CLIPS"])
    model = DistributedDataParallel(torch.nn.Linear(16, 4).cuda())
    for batch in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        try:
            sound = read_sound(batch["path"])
        except OSError:
            continue
        model(sound).sum().backward()  # expect: DDP105
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

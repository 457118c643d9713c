"""What rank 0 says is copied back into the tensor that was on the CPU, by a helper: all have the same then."""

import time

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank() % torch.cuda.device_count())


def from_first(given):
    if not given.is_cuda:
        moved = given.detach().cuda()
        dist.broadcast(moved, src=0)
        given.copy_(moved.cpu())
    else:
        dist.broadcast(given, src=0)


class Saver:
    def __init__(self):
        self.stamps = torch.tensor([time.time(), time.time()])

    def save_now_and_then(self):
        self.stamps[1] = time.time()
        from_first(self.stamps)
        last, now = self.stamps.cpu().tolist()
        if now - last > 1200:
            dist.barrier()


def emptied():
    stamp = torch.tensor([time.time()])
    stamp.fill_(5.0)
    if stamp.item() > 3:
        dist.barrier()


Saver().save_now_and_then()
emptied()

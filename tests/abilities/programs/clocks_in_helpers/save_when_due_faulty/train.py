import torch
import torch.distributed as dist
from timer import Interval


def main():
    dist.init_process_group("gloo")
    loss = torch.zeros(1)
    timer = Interval(10)
    for step in range(1000):
        if timer.due():
            dist.all_reduce(loss)  # expect: DDP104
    dist.destroy_process_group()


main()

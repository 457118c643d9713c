import torch
import torch.distributed as dist
from timer import Interval


def main():
    dist.init_process_group("gloo")
    loss = torch.zeros(1)
    timer = Interval(10)
    for step in range(1000):
        if timer.due():
            print(step)
        dist.all_reduce(loss)
    dist.destroy_process_group()


main()

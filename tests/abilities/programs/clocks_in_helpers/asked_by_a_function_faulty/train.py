import torch
import torch.distributed as dist
import time

from limits import is_over


def main():
    dist.init_process_group("gloo")
    loss = torch.zeros(1)
    start = time.time()
    for step in range(1000):
        if is_over(start, 2):  # expect: DDP104
            break
        dist.all_reduce(loss)
    dist.destroy_process_group()


main()

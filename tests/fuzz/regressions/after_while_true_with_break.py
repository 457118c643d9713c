# truth: diverges line 13
import torch
import torch.distributed as dist

def main():
    rank = dist.get_rank()
    i = 0
    while True:
        i += 1
        if i > 2:
            break
    if rank == 0:
        dist.all_reduce(torch.ones(1))
main()

# truth: diverges line 9
import random
import torch
import torch.distributed as dist

def main():
    group = dist.new_group([2, 3])
    if random.random() < 0.5:
        dist.all_reduce(torch.ones(1), group=group)
main()

# truth: fine
import os
import torch
import torch.distributed as dist

def main():
    try:
        flag = dist.get_rank() == 0
    except ValueError:
        if int(os.environ.get('RANK', 0)) != 0:
            return
    dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))
main()

# truth: diverges line 14
import os
import torch.distributed as dist

def main():
    i = 0
    while True:
        i += 1
        if i > 2:
            break
        dist.barrier()
        if os.environ['RANK'] == '0':
            break
    dist.barrier()
main()

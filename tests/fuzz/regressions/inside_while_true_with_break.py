# truth: diverges line 13
import os
import torch.distributed as dist

def main():
    rank = int(os.environ['RANK'])
    i2 = 0
    while True:
        i2 += 1
        if i2 > 2:
            break
        if rank == 0:
            dist.barrier()
main()

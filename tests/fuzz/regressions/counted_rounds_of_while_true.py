# truth: diverges line 7
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()

def step(args):
    dist.barrier()

def main():
    args = parser.parse_args()
    rank = dist.get_rank()
    main = rank == 0
    if main:
        dist.barrier()
    else:
        i2 = 0
        while True:
            i2 += 1
            if i2 > 2:
                break
            dist.barrier()
    step(args)
main()

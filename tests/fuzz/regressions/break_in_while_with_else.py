# truth: diverges line 16
import argparse
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int)


def main():
    n = parser.parse_args().steps
    while n:
        if dist.get_rank() == 0:
            break
        n -= 1
    else:
        dist.barrier()


main()

# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
parser.add_argument('--epochs', type=int, default=1)
args = parser.parse_args()

def apply(fn, times=1):
    fn()

def main():
    rank = dist.get_rank()
    mode = 'a'
    if args.resume:
        mode = 'b'
    if mode == 'b':
        if rank == 0 or args.resume:
            i2 = 0
            while i2 < args.epochs:
                i2 += 1
                apply(dist.barrier)
main()

# truth: diverges line 19
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
args = parser.parse_args()

def rank_zero_only(fn):

    def wrapped(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapped

@rank_zero_only
def save():
    rank = dist.get_rank()
    if not rank:
        dist.barrier()

def main():
    rank = int(os.environ['RANK'])
    dist.barrier() if (me := rank) != 0 and args.level == 0 else None
    save()
main()

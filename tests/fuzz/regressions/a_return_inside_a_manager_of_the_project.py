# truth: fine
import argparse
import contextlib
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
args = parser.parse_args()

@contextlib.contextmanager
def synced():
    yield

def main():
    rank = dist.get_rank()
    with synced():
        if args.level == 0:
            return
    if args.level == 0 and rank == 0:
        dist.barrier()
main()

# truth: fine
import argparse
import torch.distributed as dist
from torch.distributed import barrier, get_rank
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
args = parser.parse_args()

class Sync:

    def __call__(self):
        barrier()
sync_all = Sync()

def main():
    rank = dist.get_rank()
    if rank == 0 and (not args.resume):
        [sync_all() for _ in range(2) if args.resume]
main()

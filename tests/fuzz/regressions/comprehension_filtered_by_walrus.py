# truth: diverges line 7
import os
import torch.distributed as dist

def main():
    rank = int(os.environ['RANK'])
    [dist.barrier() for _ in range(2) if (me := rank) == 0]
main()

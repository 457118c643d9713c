# truth: fine
import os
import torch.distributed as dist

def main():
    rank = int(os.environ['RANK'])
    if rank == 0:
        match rank:
            case int() if rank == 0:
                pass
            case _:
                dist.barrier()
main()

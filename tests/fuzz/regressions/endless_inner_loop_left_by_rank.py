# truth: diverges line 14
import torch.distributed as dist

def main():
    rank = dist.get_rank()
    i = 0
    while True:
        i += 1
        if i > 2:
            break
        while True:
            if rank:
                break
            dist.barrier()
main()

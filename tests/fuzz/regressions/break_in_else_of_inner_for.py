# truth: diverges line 13, 14
import torch
import torch.distributed as dist


def main():
    for turn in range(3):
        for job in range(2):
            dist.barrier()
        else:
            if dist.get_rank() == 0:
                break
        dist.all_reduce(torch.ones(1))
    dist.barrier()


main()

import sys

import torch
import torch.distributed as dist


class Sum:
    def __init__(self):
        self.total = torch.zeros(1)

    def close(self):
        dist.all_reduce(self.total)


class First:
    def __init__(self):
        self.total = torch.zeros(1)
        if dist.get_rank() == 0:
            dist.barrier()  # expect: DDP101

    def close(self):
        print(self.total)


KINDS = {"sum": Sum, "first": First}


def main(kind):
    dist.init_process_group("gloo")
    meter = KINDS[kind]()
    meter.close()
    dist.barrier()


main(sys.argv[1])

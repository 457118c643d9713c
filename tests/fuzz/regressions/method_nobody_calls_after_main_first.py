# truth: fine
import torch.distributed as dist

def repeat(left):
    dist.barrier()

class main_first:

    def __init__(self):
        self.rank = dist.get_rank()

    def __enter__(self):
        if self.rank != 0:
            dist.barrier()

    def __exit__(self, *exc):
        if self.rank == 0:
            dist.barrier()

class Base:

    @property
    def is_main(self):
        return rank == 0

    def sync(self):
        with main_first():
            if self.is_main:
                pass
            else:
                repeat(2)

def main():
    with main_first():
        pass
main()

# truth: fine
import torch.distributed as dist

class main_first:

    def __init__(self):
        self.rank = dist.get_rank()

    def __enter__(self):
        if self.rank != 0:
            dist.barrier()

    def __exit__(self, *exc):
        if self.rank == 0:
            dist.barrier()

def main():
    with main_first():
        pass
main()

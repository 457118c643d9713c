# truth: fine
import contextlib
import torch.distributed as dist

@contextlib.contextmanager
def main_first():
    if dist.get_rank() != 0:
        dist.barrier()
    try:
        yield
    finally:
        if dist.get_rank() == 0:
            dist.barrier()

def main():
    with main_first():
        pass
main()

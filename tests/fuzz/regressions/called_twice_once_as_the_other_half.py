# truth: diverges line 7
import torch.distributed as dist

def notify(main_only=True):
    if dist.get_rank() != 0:
        return
    dist.barrier()

def main():
    if dist.get_rank() > 0:
        dist.barrier()
        pass
    notify()
    dist.barrier()
    notify(main_only=True)
main()

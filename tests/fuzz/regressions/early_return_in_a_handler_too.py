# truth: diverges line 9
import functools
import torch
import torch.distributed as dist

def notify(main_only=True):
    if main_only and dist.get_rank() != 0:
        return
    dist.all_reduce(torch.ones(1))

def main():
    try:
        notify(False)
    except ValueError:
        notify(main_only=True)
    functools.partial(notify, main_only=True)()
main()

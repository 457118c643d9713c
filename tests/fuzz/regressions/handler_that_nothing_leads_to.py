# truth: fine
import os
import torch
import torch.distributed as dist

def main():
    try:
        if not int(os.getenv('LOCAL_RANK', '0')):
            dist.barrier()
            dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))
        if int(os.getenv('LOCAL_RANK', '0')):
            dist.barrier()
            dist.all_gather([torch.zeros(1) for _ in range(4)], torch.ones(1))
    except ValueError:
        try:
            if int(os.environ.get('RANK', 0)) == 0:
                raise ValueError('stop')
            dist.barrier()
        except ValueError:
            pass
    pass
main()

# truth: diverges line 16
import os
import torch.distributed as dist

def main():
    try:
        if dist.get_rank() in (0,):
            raise ValueError('stop')
        action = dist.barrier
        action()
    except ValueError:
        dist.barrier()
    if os.getenv('RANK', '0') in ('1', '2', '3'):
        pass
    else:
        dist.broadcast_object_list([int(os.environ['RANK'])], src=0)
main()

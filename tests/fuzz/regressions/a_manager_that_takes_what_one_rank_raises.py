# truth: diverges line 17
import os
import torch.distributed as dist

class Tolerant:

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        return isinstance(value, ValueError)

def main():
    with Tolerant() as tolerant:
        if os.environ['RANK'] == '0':
            raise ValueError('stop')
        dist.barrier()
main()

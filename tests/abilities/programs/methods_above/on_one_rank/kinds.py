import torch.distributed as dist
from base import Writer


class TextWriter(Writer):
    def prepare(self):
        if dist.get_rank() == 0:
            super().prepare()
        dist.barrier()

"""A wrapper around a wrapper: rank 0 alone gets to the barrier of what stands in the middle."""

import torch.distributed as dist


class Store:
    """Writes when all are there."""

    def flush(self):
        dist.barrier()


class Around:
    """Adds nothing."""

    def __init__(self, inside):
        self.inside = inside

    def __getattr__(self, name):
        return getattr(self.__dict__["inside"], name)


dist.init_process_group("gloo")
store = Around(Around(Store()))
if dist.get_rank() == 0:
    store.flush()  # expect: DDP101
dist.destroy_process_group()

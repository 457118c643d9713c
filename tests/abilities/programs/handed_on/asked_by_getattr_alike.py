"""The same wrapper: all ranks ask, and what rank 0 asks alone belongs to the wrapper itself."""

import torch
import torch.distributed as dist


class Encoder(torch.nn.Module):
    """Keeps its statistics equal on all ranks."""

    def settle(self):
        dist.barrier()

    def report(self):
        dist.barrier()


class Timed(torch.nn.Module):
    """Adds a clock to a model."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def report(self):
        print("seconds")


dist.init_process_group("gloo")
model = Timed(Encoder())
model.settle()
if dist.get_rank() == 0:
    model.report()
dist.destroy_process_group()

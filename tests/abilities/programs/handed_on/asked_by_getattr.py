"""A wrapper asks the model that it holds for all that it lacks itself: rank 0 alone gets to the model's barrier."""

import torch
import torch.distributed as dist


class Encoder(torch.nn.Module):
    """Keeps its statistics equal on all ranks."""

    def settle(self):
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
            return getattr(super().__getattr__("inner"), name)


dist.init_process_group("gloo")
model = Timed(Encoder())
if dist.get_rank() == 0:
    model.settle()  # expect: DDP101
dist.destroy_process_group()

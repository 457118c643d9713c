"""A hook that a helper registers."""

import torch.distributed as dist


def register(net):
    def share(grad):
        if dist.get_rank() == 0:
            dist.all_reduce(grad)  # expect: DDP101
        return grad

    for weight in net.parameters():
        weight.register_hook(share)

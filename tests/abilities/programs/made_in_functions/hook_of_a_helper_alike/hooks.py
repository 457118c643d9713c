"""A hook that a helper registers."""

import torch.distributed as dist


def register(net):
    def share(grad):
        dist.all_reduce(grad)
        if dist.get_rank() == 0:
            print(grad.norm())
        return grad

    for weight in net.parameters():
        weight.register_hook(share)

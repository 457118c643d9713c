"""A hook of which a decorator keeps all but the first rank away."""

import torch
from pytorch_lightning.utilities import rank_zero_only


def register(net):
    @rank_zero_only
    def keep(grad):
        torch.save(grad, "grad.pt")

    net.register_full_backward_hook(keep)

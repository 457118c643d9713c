import torch.distributed as dist
from torch import nn


def mean_over_ranks(tensor):
    tensor = tensor.clone()
    dist.all_reduce(tensor.div_(dist.get_world_size()))
    return tensor


class Head(nn.Module):
    def loss(self, scores, targets, labels):
        found = labels < 80
        if found.any():
            scale = mean_over_ranks(targets[found].sum().detach())  # expect: DDP104
            return scores[found].sum() / scale.clamp(min=1e-6)
        return scores.sum() * 0

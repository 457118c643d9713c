import torch.distributed as dist
from torch import nn


class Head(nn.Module):
    def loss(self, scores, targets, labels):
        found = (labels < 80).nonzero().reshape(-1)
        count = scores.new_tensor(len(found))
        dist.all_reduce(count)
        if count > 0:
            scale = targets[found].sum().detach()
            dist.all_reduce(scale)
            return scores[found].sum() / scale.clamp(min=1e-6)
        return scores.sum() * 0

import torch.distributed as dist
from torch import nn


class Head(nn.Module):
    def loss(self, totals, chosen, layers):
        for index in range(layers):
            if index > 0:
                dist.all_reduce(totals[index])
        if chosen:
            dist.all_reduce(totals[chosen])
        return totals

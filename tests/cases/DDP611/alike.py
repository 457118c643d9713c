import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 3
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


def width_of(model):
    if isinstance(model, DistributedDataParallel):
        model = model.module
    return model.width


dist.init_process_group("gloo")
bare = Net()
model = DistributedDataParallel(bare)
print(width_of(model), width_of(bare), bare.width, model.device)

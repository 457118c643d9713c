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


dist.init_process_group("gloo")
model = DistributedDataParallel(Net())
print(model.width)  # expect: DDP611

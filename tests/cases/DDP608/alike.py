import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
body = nn.Linear(2, 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = body
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(self.body(x))


model = Net()
model.head = nn.Linear(2, 5)
model = DDP(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.ones(8, 4, 2):
    model(batch).mean().backward()
    optimizer.step()

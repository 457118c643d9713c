import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
data = TensorDataset(torch.zeros(10, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader(data, shuffle=True)  # expect: DDP303
for epoch in range(3):
    for batch in loader:
        model(*batch).mean().backward()
        optimizer.step()

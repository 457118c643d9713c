import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

HAS_APEX = False
try:
    from apex.parallel import DistributedDataParallel as ApexDDP

    HAS_APEX = True
except ModuleNotFoundError:
    pass

dist.init_process_group("gloo")
net = torch.nn.Linear(3, 1)
net = ApexDDP(net) if HAS_APEX else DistributedDataParallel(net)
for _ in range(4):
    net(torch.randn(3)).mean().backward()
    if dist.get_rank() == 0:
        print("step")

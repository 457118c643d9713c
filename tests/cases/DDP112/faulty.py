import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    writer = SummaryWriter("runs")
for epoch in range(3):
    writer.add_scalar("epoch", epoch)  # expect: DDP112
    dist.barrier()

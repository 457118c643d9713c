import torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter

dist.init_process_group("gloo")
writer = None
if dist.get_rank() == 0:
    writer = SummaryWriter("runs")
for epoch in range(3):
    if writer is not None:
        writer.add_scalar("epoch", epoch)
    dist.barrier()

import torch
import torch.distributed as dist

from job import model, optimizer, parts, steps

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(model)
for batch in parts(dist.get_rank()):
    loss = model(batch).mean() / steps
    loss.backward()
    mean = loss.detach() * steps
    dist.all_reduce(mean, op=dist.ReduceOp.SUM)
    print(mean.item())
    optimizer.step()
dist.destroy_process_group()

import torch
import torch.distributed as dist

from job import model, optimizer, parts, steps

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(model)
for batch in parts(dist.get_rank()):
    loss = model(batch).mean() / steps
    loss.backward()
    dist.all_reduce(loss.detach() * steps, op=dist.ReduceOp.SUM)  # expect: DDP113
    print(loss.item() * steps)
    optimizer.step()
dist.destroy_process_group()

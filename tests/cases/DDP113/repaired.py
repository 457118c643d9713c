import torch
import torch.distributed as dist

dist.init_process_group("gloo")
loss = torch.ones(1)
gathered = [torch.zeros_like(loss) for _ in range(dist.get_world_size())]  # expect: DDP113
dist.all_gather(gathered, loss)
print(torch.stack(gathered).mean())

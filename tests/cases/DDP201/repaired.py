import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.Linear(1, 1)
if dist.get_rank() == 0:
    torch.save(model.state_dict(), "model.pt")  # expect: DDP201
dist.barrier()

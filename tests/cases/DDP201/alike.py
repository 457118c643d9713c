import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
model = torch.nn.Linear(1, 1)
torch.save(model.state_dict(), f"model{rank}.pt")
if rank == 0:
    torch.save(model.state_dict(), "model.pt")

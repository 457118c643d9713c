import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

dist.init_process_group("cpu:gloo,cuda:nccl")
model = torch.nn.Linear(2, 2)
future = None
for step in range(100):
    if future is not None and not future.done():
        print("still saving")
    if future is not None:
        future.result()
    future = dcp.async_save(model.state_dict(), checkpoint_id=f"step_{step}")
future.result()
dist.destroy_process_group()

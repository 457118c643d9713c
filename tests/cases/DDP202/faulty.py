import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

dist.init_process_group("gloo")
model = torch.nn.Linear(1, 1)
if dist.get_rank() == 0:
    dcp.save({"model": model.state_dict()}, checkpoint_id="last")  # expect: DDP202

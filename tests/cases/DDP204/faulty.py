import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
local_rank = int(os.environ["LOCAL_RANK"])
model = torch.nn.Linear(1, 1)
if local_rank == 0:
    torch.save(model.state_dict(), "model.pt")  # expect: DDP204

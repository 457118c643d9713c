import os
import tempfile

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, local_rank = dist.get_rank(), int(os.environ["LOCAL_RANK"])
model = torch.nn.Linear(1, 1)
if rank == 0:
    torch.save(model.state_dict(), "model.pt")
if local_rank == 0:
    os.makedirs(os.path.join(tempfile.gettempdir(), "scratch"), exist_ok=True)

import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model = torch.nn.Linear(1, 1).cuda()
model.load_state_dict(torch.load("last.pt"))  # expect: DDP207

import torch
import torch.distributed as dist
from parts import Both

dist.init_process_group("gloo")
scores = torch.rand(100).tolist()
Both().write("scores.json", {"scores": scores})

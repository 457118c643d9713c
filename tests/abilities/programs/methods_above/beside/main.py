import torch
import torch.distributed as dist
from report import Report

dist.init_process_group("gloo")
scores = torch.rand(100).tolist()
dist.barrier()
Report().write("scores.json", {"scores": scores})
with open("scores.json") as file:
    print(file.read())

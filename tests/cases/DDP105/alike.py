import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for step in range(9):
    try:
        with open(f"batch{step}.txt") as file:
            numbers = torch.tensor([float(word) for word in file.read().split()])
    except ValueError:
        numbers = torch.zeros(4)
    dist.all_reduce(numbers)

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for step in range(9):
    try:
        with open(f"batch{step}.txt") as file:
            numbers = torch.tensor([float(word) for word in file.read().split()])
        dist.all_reduce(numbers)  # expect: DDP105
    except ValueError:
        continue

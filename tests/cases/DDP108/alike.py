import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]
group = groups[rank // 2]
numbers = torch.zeros(1)
dist.all_reduce(numbers, group=group)

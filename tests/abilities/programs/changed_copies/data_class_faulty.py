import dataclasses

import torch.distributed as dist


@dataclasses.dataclass(frozen=True)
class Plan:
    steps: int = 10
    reports: bool = False


def train(plan):
    for _ in range(plan.steps):
        pass
    if plan.reports:
        dist.barrier()  # expect: DDP101


dist.init_process_group("gloo")
train(dataclasses.replace(Plan(steps=3), reports=dist.get_rank() == 0))

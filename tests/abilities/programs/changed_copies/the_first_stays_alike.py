import dataclasses

import torch.distributed as dist


@dataclasses.dataclass
class Plan:
    steps: int = 10
    reports: bool = False


def train(plan):
    if plan.reports:
        dist.barrier()


dist.init_process_group("gloo")
plan = Plan(reports=True)
mine = dataclasses.replace(plan, reports=dist.get_rank() == 0)
if mine.reports:
    print("here")
train(plan)

import dataclasses
import typing

import torch.distributed as dist


class Place(typing.NamedTuple):
    rank: int = 0
    reports: bool = True


@dataclasses.dataclass
class Plan:
    rank: int = 0
    reports: bool = True


dist.init_process_group("gloo")
for plan in (Place()._replace(rank=dist.get_rank()), dataclasses.replace(Plan(), rank=dist.get_rank())):
    if plan.reports:
        dist.barrier()

import argparse
import dataclasses

import torch.distributed as dist


@dataclasses.dataclass
class Plan:
    reports: bool = False


parser = argparse.ArgumentParser()
parser.add_argument("--report", action="store_true")
args = parser.parse_args()
dist.init_process_group("gloo")
plan = dataclasses.replace(Plan(), reports=args.report)
if plan.reports:
    dist.barrier()

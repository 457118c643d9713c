"""The helper is told who is first, looks whether something is there, and lets all go on."""

from datetime import timedelta

import torch.distributed as dist
from checks import may_go_on


def main():
    dist.init_process_group("gloo", timeout=timedelta(minutes=20))
    first = dist.get_rank() == 0
    if not may_go_on(first):
        return
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

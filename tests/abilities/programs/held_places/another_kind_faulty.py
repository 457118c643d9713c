"""A list holds the place of a dictionary, and only those with a dictionary wait."""

from datetime import timedelta

import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    found = []
    if dist.get_rank() == 0:
        found = {"steps": 3}
    if isinstance(found, dict):
        dist.barrier()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

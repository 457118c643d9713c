"""Whatever fails on one rank is swallowed, and it goes on without the sum that the others wait in."""

import pickle
from datetime import timedelta

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    for number in range(8):
        try:
            with open(f"records/{dist.get_rank()}_{number}.pkl", "rb") as file:
                total = torch.tensor(float(pickle.load(file)))
            dist.all_reduce(total)  # expect: DDP105
        except Exception:
            continue
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

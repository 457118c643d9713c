"""Zero holds the place of a mean that rank 0 works out: a helper that asks for dictionaries gets none on any rank."""

from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
from scoring import score_of


def from_first(data):
    if isinstance(data, dict):
        return {name: from_first(part) for name, part in data.items()}
    sent = torch.tensor([data])
    dist.broadcast(sent, 0)
    return sent.item()


def evaluate(batches) -> float:
    score = 0
    if dist.get_rank() == 0:
        score = np.mean([score_of(batch) for batch in batches]).item()
    return from_first(score)


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    print(evaluate(torch.load("batches.pt")))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

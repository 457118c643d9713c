"""A function of one rank waits for all."""

import torch
from flashy import distrib


@distrib.rank_zero_only
def finish() -> None:
    distrib.barrier()
    print("done")


def main() -> None:
    distrib.init()
    model = torch.nn.Linear(4, 4)
    distrib.broadcast_model(model)
    metrics = {"loss": torch.rand(()).item() + distrib.rank()}
    print(metrics)
    finish()  # expect: DDP101


if __name__ == "__main__":
    main()

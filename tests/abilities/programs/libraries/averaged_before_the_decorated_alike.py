"""A function of one rank writes what all have averaged."""

import torch
from flashy import distrib


@distrib.rank_zero_only
def finish(metrics: dict) -> None:
    print(metrics)


def main() -> None:
    distrib.init()
    model = torch.nn.Linear(4, 4)
    distrib.broadcast_model(model)
    metrics = {"loss": torch.rand(()).item() + distrib.rank()}
    distrib.barrier()
    finish(distrib.average_metrics(metrics))


if __name__ == "__main__":
    main()

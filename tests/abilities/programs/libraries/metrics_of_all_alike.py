"""All ranks average, one prints."""

import torch
from flashy import distrib


def main() -> None:
    distrib.init()
    model = torch.nn.Linear(4, 4)
    distrib.broadcast_model(model)
    metrics = {"loss": torch.rand(()).item() + distrib.rank()}
    metrics = distrib.average_metrics(metrics)
    if distrib.is_rank_zero():
        print(metrics)


if __name__ == "__main__":
    main()

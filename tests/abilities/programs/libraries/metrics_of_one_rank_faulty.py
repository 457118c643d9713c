"""One rank averages the metrics of all."""

import torch
from flashy import distrib


def main() -> None:
    distrib.init()
    model = torch.nn.Linear(4, 4)
    distrib.broadcast_model(model)
    metrics = {"loss": torch.rand(()).item() + distrib.rank()}
    if distrib.is_rank_zero():
        print(distrib.average_metrics(metrics))  # expect: DDP101


if __name__ == "__main__":
    main()

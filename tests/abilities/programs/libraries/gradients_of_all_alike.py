"""All ranks share their gradients."""

import torch
from flashy import distrib


def main() -> None:
    distrib.init()
    model = torch.nn.Linear(4, 4)
    distrib.broadcast_model(model)
    metrics = {"loss": torch.rand(()).item() + distrib.rank()}
    model(torch.rand(2, 4)).sum().backward()
    distrib.sync_model(model)
    setting = distrib.broadcast_object(dict(width=4))
    if setting["width"] > 3:
        distrib.barrier()


if __name__ == "__main__":
    main()

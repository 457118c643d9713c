"""Whenever points are split the model is wrapped anew."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Cloud(nn.Module):
    def __init__(self, points: torch.Tensor) -> None:
        super().__init__()
        self.places = nn.Parameter(points)
        self.weights = nn.Parameter(torch.zeros(len(points), 1))

    def forward(self, camera: torch.Tensor) -> torch.Tensor:
        return (self.places @ camera * self.weights.sigmoid()).sum()

    def split(self, threshold: float) -> None:
        chosen = self.places.grad.norm(dim=-1) > threshold
        self.places = nn.Parameter(torch.cat([self.places.detach(), self.places.detach()[chosen]]))
        self.weights = nn.Parameter(torch.cat([self.weights.detach(), self.weights.detach()[chosen]]))


def main(points: torch.Tensor, cameras: list) -> None:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=timedelta(minutes=10))
    cloud = Cloud(points).cuda()
    model = DistributedDataParallel(cloud)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, camera in enumerate(cameras):
        model(camera.cuda()).square().backward()
        if step % 100 == 99:
            cloud.split(2e-4)
            model = DistributedDataParallel(cloud)
            optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
            continue
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*torch.load("scene.pt", map_location="cpu"))
